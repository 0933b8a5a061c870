import { randomInt, randomUUID } from 'node:crypto';
import { ForgeError } from '@forge/core';
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { insertRun } from '../sql/insert-run.ts';
import { writeJson } from '../sql/json.ts';
import { readRun } from '../sql/readers.ts';
import type { InboxMessage } from '../store.ts';
import { Announcer } from './announcer.ts';
import { createAppends } from './append.ts';
import { batchedWrites } from './batched-writes.ts';
import { anyDue, claimRuns, type Turns } from './claim.ts';
import { createRuns, type NewRunOfSize, sizedRun } from './create-runs.ts';
import { postgresFactIndex } from './fact-index.ts';
import { readFeed, settledCursor } from './feed.ts';
import { createInboxReader } from './inbox-reader.ts';
import { heartbeat, postpone, releaseAll, strike } from './leases.ts';
import { Listener } from './listener.ts';
import type { Connections } from './pool.ts';
import { postgresSchema } from './postgres-schema.ts';
import { databaseClock, Receipts } from './receipts.ts';
import { sendMessage } from './send-message.ts';
import { Signals } from './signals.ts';
import { createTransactions, type OnDue } from './transactions.ts';

/** Receipts of writers that did not tidy up are of no use to anybody after this. */
const receiptsKept = 24 * 60 * 60 * 1_000;
/** Writers count in one of so many rows of a day: more would be added up at each look. */
const shards = 32;

export interface PostgresEngine extends Engine {
  /** Tells that events were written by other means than `append`. */
  appended(): void;
  /** As `listInbox`; looks at the same time share a query. */
  inbox(runId: string, limit?: number): Promise<readonly InboxMessage[]>;
}

export interface PostgresEngineOptions {
  readonly connections: Connections;
  readonly url: string;
  /** In place of the database's clock. */
  readonly now: (() => number) | undefined;
  readonly patience: number;
  /** Batches of appends under way at once. */
  readonly flights: number;
  readonly onDue: OnDue | undefined;
}

/** What the store needs of PostgreSQL. */
export function createPostgresEngine(options: PostgresEngineOptions): PostgresEngine {
  const { connections, url, flights } = options;
  const now = options.now && (() => Math.trunc(options.now?.() ?? 0));
  const closing = new AbortController();
  const given = new AbortController();
  const patience = { total: options.patience, signal: given.signal };
  const receipts = new Receipts(randomUUID());
  const own = receipts.writer;
  const signals = new Signals();
  const announcer = new Announcer({ connections, from: own, closing: closing.signal });
  const listener = new Listener({ url, own, signals });
  const turns: Turns = { lastTenant: undefined };

  const appended = () => {
    signals.appended();
    announcer.appended();
  };
  const onWake = (runIds: readonly string[] | undefined) => {
    signals.woken(runIds);
    announcer.woken(runIds);
  };
  const transactions = createTransactions({
    connections,
    receipts,
    patience,
    now,
    onWake,
    onDue: options.onDue,
  });
  const shard = randomInt(shards);
  const appends = createAppends({
    connections,
    transactions,
    receipts,
    patience,
    flights,
    shard,
    onAppend: appended,
  });

  const releases = batchedWrites({
    transactions,
    keyOf: ({ runId }: Parameters<Engine['release']>[0]) => runId,
    sizeOf: () => 0,
    write: releaseAll,
  });
  const creations = batchedWrites({
    transactions,
    keyOf: ({ run }: NewRunOfSize) => run.id,
    sizeOf: ({ size }) => size,
    write: createRuns,
  });
  const inboxes = createInboxReader(transactions);

  /** Work that is under way when the store closes is waited for. */
  const pending = new Set<Promise<unknown>>();
  const whileOpen = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) {
      throw new ForgeError('store_failed', 'The store is closed. Open it again.');
    }
    const done = work();
    pending.add(done);
    try {
      return await done;
    } finally {
      pending.delete(done);
    }
  };
  const { read, write } = transactions;

  return {
    appended,
    inbox: (runId, limit) => whileOpen(() => inboxes(runId, limit)),
    read: (work) => whileOpen(() => read(({ db }) => work(db))),
    write: (work) => whileOpen(() => write(work)),
    createRun: (run) =>
      whileOpen(async () => {
        if (run.parent === undefined) return creations(sizedRun(run));
        return write(async (tx) => {
          await insertRun(tx, run);
          const rows = tx.db.selectFrom('runs').selectAll().where('id', '=', run.id);
          return readRun(await rows.executeTakeFirstOrThrow());
        });
      }),
    claim: (claim) =>
      whileOpen(async () => {
        if (claim.limit < 1) return [];
        const { runId } = claim;
        if (!(await read(({ client }) => anyDue(client, { runId, now: now?.() })))) return [];
        return write((tx) => claimRuns(tx, claim, turns));
      }),
    heartbeat: (leases, ttl) =>
      leases.length === 0
        ? Promise.resolve([])
        : whileOpen(() => write((tx) => heartbeat(tx, [leases, ttl]))),
    release: (lease) => whileOpen(() => releases(lease)),
    postpone: (lease) => whileOpen(() => write((tx) => postpone(tx, lease))),
    strike: (lease) => whileOpen(() => write((tx) => strike(tx, lease))),
    append: (step) => whileOpen(() => appends.append(step)),
    send: (runId, message) =>
      whileOpen(async () => {
        writeJson(message.payload); // What is not JSON fails before the transaction.
        return write((tx) => sendMessage(tx, { ...message, runId }));
      }),
    cursor: () => whileOpen(() => read(({ client }) => settledCursor(client))),
    async *changes({ from, signal }) {
      void listener.start();
      const either = AbortSignal.any([signal, closing.signal]);
      yield* readFeed({ from, signal: either, signals, transactions });
    },
    onWake(heard) {
      void listener.start();
      return signals.onWake(heard);
    },
    now: () =>
      whileOpen(async () => {
        if (now !== undefined) return now();
        const { rows } = await read(({ client }) =>
          client.query<{ now: number }>(`select ${databaseClock} as now`),
        );
        return rows[0]?.now ?? Number.NaN;
      }),
    factIndex: postgresFactIndex,
    outcomeKind: postgresSchema.outcomeKind,
    async settleEvents({ db }) {
      await sql`lock table events in share row exclusive mode`.execute(db);
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await Promise.allSettled(pending);
      await appends.settled();
      await announcer.settled();
      given.abort();
      await listener.stop();
      const tidy = { olderThan: receiptsKept };
      await connections.use(({ client }) => receipts.clear(client, tidy)).catch(() => {});
      await connections.end();
    },
  };
}
