import { createRedactor, type Redactor } from '@forge/core';
import { createSqlStore } from '../create-sql-store.ts';
import { redactedStore } from '../redacted-store.ts';
import { migrate } from '../schema/migrate.ts';
import type { Store } from '../store.ts';
import { adoptEvents } from './adopt-events.ts';
import { toForgeError } from './failure.ts';
import { withPatience } from './patience.ts';
import { openPool } from './pool.ts';
import { createPostgresEngine } from './postgres-engine.ts';
import { postgresSchema } from './postgres-schema.ts';
import { forkSafely, pruneRuns } from './prune.ts';
import { listStats } from './stats.ts';
import type { OnDue } from './transactions.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. The database is the store's own. */
  readonly url: string;
  /** In place of the database's clock, for tests. Processes that share it must agree. */
  readonly now?: () => number;
  /** Connections in all, beside one that listens. Default 10. */
  readonly poolSize?: number;
  /** How long calls wait for a server that is away, in milliseconds, before they fail. Default 30,000. */
  readonly patience?: number;
  /**
   * Takes secrets out of everything that is written. Default: one that knows the shapes of keys. Give
   * one made with `createRedactor({ values })` for your own keys; `false` writes all as it is.
   */
  readonly redact?: Redactor | false;
  /**
   * Called within each transaction that makes runs due: a new run, a message, a decision, a firing.
   * What it writes by that connection is there exactly when the runs are due, so a queue in the same
   * database loses no wake-up. If it throws, what it wrote is undone and the transaction goes on
   * without it: the runs are due all the same, and found by whoever looks.
   *
   * @example
   * const queue = await createPgBossQueue({ url });
   * const store = await openPostgresStore({ url, onDue: queue.onDue });
   */
  readonly onDue?: OnDue;
}

/** Batches of appends under way at once: while one is flushed to disk, the next is on its way. */
const flights = 2;
/** A statement that takes longer counts as lost: the network may be gone without a word. */
const longestStatement = 120_000;

/**
 * Opens a store in a PostgreSQL database, and makes its tables if they are not there. Any number of
 * processes on any number of machines may have it open. What a promise resolves for is as durable as
 * the server's `synchronous_commit` makes it, which is on disk by default.
 *
 * A server that restarts is waited for; a commit whose answer was lost is found out about and never
 * repeated. Only when the server stays away longer than `patience` at that very moment may a
 * `store_failed` leave open whether the call was carried out.
 */
export async function openPostgresStore({
  url,
  now,
  poolSize = 10,
  patience = 30_000,
  onDue,
  redact = createRedactor(),
}: PostgresStoreOptions): Promise<Store> {
  await prepare(url, patience);
  const size = Math.max(poolSize, flights + 1);
  const connections = openPool({ url, size, kept: flights, statementWithin: longestStatement });
  const engine = createPostgresEngine({ connections, url, now, patience, flights, onDue });
  const store: Store = {
    ...createSqlStore(engine, redact || undefined),
    inbox: (runId, limit) => engine.inbox(runId, limit),
    stats: (filter) => engine.read((db) => listStats(db, filter)),
    prune: (options) => pruneRuns(engine, options),
    async fork(options) {
      const run = await engine.write((tx) => forkSafely(tx, options));
      engine.appended();
      return run;
    },
  };
  return redact ? redactedStore(store, redact) : store;
}

/** On a connection of its own: changing old tables may take its time. */
async function prepare(url: string, total: number): Promise<void> {
  const connections = openPool({ url, size: 1, kept: 0 });
  const { signal } = new AbortController();
  try {
    await withPatience({ total, signal }, () =>
      connections.use(({ db }) =>
        db.transaction().execute(async (tx) => {
          await migrate(tx, postgresSchema);
          await adoptEvents(tx);
        }),
      ),
    );
  } catch (error) {
    throw toForgeError(error);
  } finally {
    await connections.end();
  }
}
