import { startPostgres, type TestPostgres } from '../../packages/store/src/testing/index.ts';

/** Servers that several engines share, each with a database of its own. Started when asked for. */
export interface Servers {
  /** The address of a new database, on a server that flushes every commit to disk. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

export function createServers(): Servers {
  let postgres: Promise<TestPostgres> | undefined;
  return {
    async database() {
      postgres ??= startPostgres();
      return (await postgres).createDatabase();
    },
    async stop() {
      await (await postgres)?.stop();
    },
  };
}
