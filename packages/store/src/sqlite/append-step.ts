import { isEnded, type PreparedAppend } from '../append/prepare-append.ts';
import { unreadMessages } from '../append/unread-messages.ts';
import { noSuchRun } from '../no-such-run.ts';
import { requestApprovals, withdrawApprovals } from '../sql/approvals.ts';
import { insertRun } from '../sql/insert-run.ts';
import type { Append, Store } from '../store.ts';
import { advanceRun, readLeased } from './advance-run.ts';
import { sendMessage } from './send-message.ts';
import type { SqliteTx, Work } from './write-queue.ts';

type Written = Awaited<ReturnType<Store['append']>>;

/**
 * Writes one step. The common kind is a few prepared statements; one that asks for approvals or
 * starts children is rare, and uses what all makes share.
 */
export function appendWork(prepared: PreparedAppend): Work<Written> {
  const { step, size } = prepared;
  const { approvals = [], withdraws = [], children = [] } = step;
  if (approvals.length + withdraws.length + children.length === 0) {
    return {
      kind: 'quick',
      size,
      run: (tx) => {
        checkReceivers(tx, step.sends);
        const { written } = appendStep(tx, prepared);
        for (const send of step.sends ?? []) sendMessage(tx, send);
        return written;
      },
    };
  }
  return {
    kind: 'careful',
    size,
    run: async (tx) => {
      const { written, run } = appendStep(tx, prepared);
      if (approvals.length > 0) await requestApprovals(tx, { run, approvals, at: prepared.at });
      if (withdraws.length > 0) {
        await withdrawApprovals(tx, { runId: run.id, ids: withdraws, at: prepared.at });
      }
      for (const child of children) await insertRun(tx, { parent: { runId: run.id }, ...child });
      for (const send of step.sends ?? []) sendMessage(tx, send);
      return written;
    },
  };
}

/** Before anything is written: whoever is spoken to is there. */
export function checkReceivers({ database }: SqliteTx, sends: Append['sends'] = []): void {
  for (const { runId } of sends) {
    if (database.get('select 1 from runs where id = ?', runId) === undefined) {
      throw noSuchRun(runId);
    }
  }
}

/** The run's row first: if it is not as the writer knew it, nothing else is touched. */
function appendStep(tx: SqliteTx, prepared: PreparedAppend) {
  const { step, at, events, day, daily } = prepared;
  const { database } = tx;
  const { runId, expectedSeq } = step;
  const known = isEnded(step.state) ? undefined : tx.owners.get(runId);
  let run = known !== undefined && advanceRun(database, prepared, known) ? known : undefined;
  if (run === undefined) {
    run = readLeased(database, step);
    if (isEnded(step.state) && hasUnread(tx, step)) throw unreadMessages(runId);
    advanceRun(database, prepared, run);
    tx.owners.add(run);
  }

  for (const { seq, type, data, blob } of events) {
    if (blob !== undefined) {
      database.run(
        'insert or ignore into blobs (hash, bytes, kept) values (?, ?, 0)',
        blob.hash,
        blob.bytes,
      );
    }
    database.run(
      'insert into events (run_id, seq, v, type, at, data, blob) values (?, ?, 1, ?, ?, ?, ?)',
      runId,
      seq,
      type,
      at,
      data ?? null,
      blob?.hash ?? null,
    );
  }
  for (const id of step.consumes ?? []) {
    database.run(
      'update inbox set read_at = ? where id = ? and run_id = ? and read_at is null',
      at,
      id,
      runId,
    );
  }
  setTimers(tx, step);
  for (const each of daily) tx.count({ day, agent: run.agent, ...each });
  return { written: { seq: expectedSeq + events.length }, run };
}

/** Whether there is something that this step does not read. */
function hasUnread({ database }: SqliteTx, { runId, consumes = [] }: Append): boolean {
  const unread = database.all<{ id: number }>(
    'select id from inbox where run_id = ? and read_at is null order by id limit ?',
    runId,
    consumes.length + 1,
  );
  const read = new Set(consumes);
  return unread.some(({ id }) => !read.has(id));
}

function setTimers({ database }: SqliteTx, { runId, timers = {} }: Append): void {
  for (const [name, dueAt] of Object.entries(timers)) {
    if (dueAt === null) {
      database.run('delete from timers where run_id = ? and name = ?', runId, name);
    } else {
      database.run(
        `insert into timers (run_id, name, due_at) values (?, ?, ?)
          on conflict (run_id, name) do update set due_at = excluded.due_at`,
        runId,
        name,
        Math.trunc(dueAt),
      );
    }
  }
}
