import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgres } from './find-postgres.ts';
import { freePort } from './free-port.ts';
import { makeCluster, unprivileged } from './make-cluster.ts';
import { startPostgresKeeper } from './postgres-keeper.ts';

/** A real server that lives at most as long as this process, however that ends. */
export interface TestPostgres {
  /** Of its first database. */
  readonly url: string;
  /** A database of its own for a test; gives its address. `template` copies another one. */
  createDatabase(options?: { readonly template?: string }): Promise<string>;
  /** Removes one, with whoever is connected to it. */
  dropDatabase(url: string): Promise<void>;
  /**
   * Stops and starts it on the same data and port. `immediate` (default) is a crash: nothing is
   * said to clients, and the log is replayed. `fast` ends transactions and says goodbye.
   */
  restart(mode?: 'fast' | 'immediate'): Promise<void>;
  /** The two halves of `restart`. */
  down(mode?: 'fast' | 'immediate'): Promise<void>;
  up(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

export interface StartPostgresOptions {
  /** False leaves out every flush to disk: for tests that crash nothing. Default true. */
  readonly durable?: boolean;
  /** More settings, such as `{ max_connections: '50' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts PostgreSQL in a folder of its own, on a free port of the loopback interface and behind a
 * password. As root it runs as another user, since it refuses to run as root.
 *
 * @example
 * const postgres = await startPostgres();
 * const store = await openPostgresStore({ url: await postgres.createDatabase() });
 */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<TestPostgres> {
  const bin = findPostgres();
  const identity = unprivileged();
  const dir = mkdtempSync(join(tmpdir(), 'forge-postgres-'));
  const password = randomBytes(12).toString('hex');
  makeCluster({ bin, dir, identity, password });
  const port = await freePort();

  const settings = { ...settingsFor(options.durable ?? true, dir), ...options.settings };
  const keeper = startPostgresKeeper({ bin, dir, port, identity, settings });
  await keeper.order('up');

  const address = `postgres://forge:${password}@127.0.0.1:${port}`;
  const url = `${address}/postgres`;
  let databases = 0;
  return {
    url,
    async createDatabase({ template } = {}) {
      databases += 1;
      const name = `test_${databases}`;
      const copy = template === undefined ? '' : ` TEMPLATE ${nameOf(template)}`;
      await execute(url, `CREATE DATABASE ${name}${copy}`);
      return `${address}/${name}`;
    },
    dropDatabase: (dropped) => execute(url, `DROP DATABASE ${nameOf(dropped)} WITH (FORCE)`),
    async restart(mode = 'immediate') {
      await keeper.order(`down ${mode}`);
      await keeper.order('up');
    },
    down: (mode = 'immediate') => keeper.order(`down ${mode}`),
    up: () => keeper.order('up'),
    stop: () => keeper.end(),
  };
}

function settingsFor(durable: boolean, dir: string): Record<string, string> {
  const flush = durable ? 'on' : 'off';
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: dir,
    max_connections: '200',
    fsync: flush,
    synchronous_commit: flush,
    full_page_writes: flush,
  };
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
