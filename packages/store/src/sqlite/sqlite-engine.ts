import { setTimeout as sleep } from 'node:timers/promises';
import { prepareAppend } from '../append/prepare-append.ts';
import { TenantTurns } from '../claim/tenant-turns.ts';
import type { Engine } from '../engine.ts';
import { sqliteSchema } from '../schema/schema-make.ts';
import { insertRun } from '../sql/insert-run.ts';
import { writeJson } from '../sql/json.ts';
import { readRun } from '../sql/readers.ts';
import { appendWork } from './append-step.ts';
import { changeFeed, lastPosition } from './change-feed.ts';
import { claimRuns } from './claim-runs.ts';
import { CommitSignal } from './commit-signal.ts';
import { blockingWait, type Database } from './database.ts';
import { sqliteFactIndex } from './fact-index.ts';
import { ForeignChanges } from './foreign-changes.ts';
import { kyselyFor } from './kysely-for.ts';
import { heartbeat, postpone, release, strike } from './leases.ts';
import { sendMessage } from './send-message.ts';
import { closed, isBusy, storeFailed } from './sqlite-errors.ts';
import { WakeListeners } from './wake-listeners.ts';
import { WriteQueue } from './write-queue.ts';

/** What the store needs of SQLite: one connection that writes, one that reads what is committed. */
export function createSqliteEngine({
  writer,
  reader,
  file,
  now,
  patience,
}: {
  readonly writer: Database;
  readonly reader: Database;
  readonly file: string;
  readonly now: () => number;
  readonly patience: number;
}): Engine {
  const committed = new CommitSignal();
  const listeners = new WakeListeners();
  const turns = new TenantTurns();
  const closing = new AbortController();
  const foreign = new ForeignChanges(
    { writer, reader },
    { now, onChange: () => committed.notify(), onWake: (runIds) => listeners.tell(runIds) },
  );
  const queue = new WriteQueue(writer, kyselyFor(writer), {
    file,
    now,
    patience,
    onCommit(woken, schedules) {
      committed.notify();
      if (woken.size > 0) listeners.tell([...woken]);
      if (schedules) listeners.tell(undefined);
    },
  });
  const readable = kyselyFor(reader);

  /** Reads under way: the connection is closed after them. */
  const reading = new Set<Promise<unknown>>();
  const read: Engine['read'] = async (work) => {
    if (closing.signal.aborted) throw closed();
    const result = readPatiently(() => work(readable), { file, patience });
    const done = result.catch(() => {});
    reading.add(done);
    try {
      return await result;
    } finally {
      reading.delete(done);
    }
  };

  return {
    read,
    write: (run) => queue.submit({ kind: 'careful', run }),
    createRun: (run) =>
      queue.submit({
        kind: 'careful',
        async run(tx) {
          await insertRun(tx, run);
          const row = await tx.db
            .selectFrom('runs')
            .selectAll()
            .where('id', '=', run.id)
            .executeTakeFirstOrThrow();
          return readRun(row);
        },
      }),
    claim: (options) => queue.submit({ kind: 'quick', run: (tx) => claimRuns(tx, options, turns) }),
    heartbeat: (leases, ttl) =>
      leases.length === 0
        ? Promise.resolve([])
        : queue.submit({ kind: 'quick', run: (tx) => heartbeat(tx, [leases, ttl]) }),
    release: (lease) => queue.submit({ kind: 'quick', run: (tx) => release(tx, lease) }),
    postpone: (lease) => queue.submit({ kind: 'quick', run: (tx) => postpone(tx, lease) }),
    strike: (lease) => queue.submit({ kind: 'quick', run: (tx) => strike(tx, lease) }),
    append: async (step) => queue.submit(appendWork(prepareAppend(step))),
    async send(runId, message) {
      writeJson(message.payload); // What is not JSON fails before the transaction.
      return queue.submit({ kind: 'quick', run: (tx) => sendMessage(tx, { ...message, runId }) });
    },
    cursor: () => read(lastPosition),
    async *changes({ from, signal }) {
      const stop = foreign.watch();
      try {
        const either = AbortSignal.any([signal, closing.signal]);
        yield* changeFeed({ from, signal: either, committed, read });
      } finally {
        stop();
      }
    },
    onWake(listener) {
      const remove = listeners.add(listener);
      const stop = foreign.watch();
      return () => {
        remove();
        stop();
      };
    },
    now: async () => Math.trunc(now()),
    // The transaction began with the file's only write lock.
    settleEvents: async () => {},
    factIndex: sqliteFactIndex,
    outcomeKind: sqliteSchema.outcomeKind,
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      foreign.stop();
      await queue.close();
      await Promise.all(reading);
      reader.close();
      writer.close();
    },
  };
}

/** A reader waits for nobody but one that mends the file after a crash. */
async function readPatiently<T>(
  work: () => Promise<T>,
  { file, patience }: { readonly file: string; readonly patience: number },
): Promise<T> {
  for (let waited = 0; ; waited += blockingWait * 2) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || waited >= patience) throw storeFailed(error, file);
      await sleep(blockingWait);
    }
  }
}
