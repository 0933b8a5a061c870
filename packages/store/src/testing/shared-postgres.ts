import { startPostgres, type TestPostgres } from './start-postgres.ts';

let started: Promise<TestPostgres> | undefined;

/**
 * The server of this process: started by the first who asks, ended with the process. It flushes
 * nothing to disk, so tests that stop a server start one of their own.
 */
export function sharedPostgres(): Promise<TestPostgres> {
  started ??= startPostgres({ durable: false });
  return started;
}
