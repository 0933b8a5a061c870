import { noSuchRun } from '../no-such-run.ts';
import { writeJson } from '../sql/json.ts';
import type { NewMessage } from '../store.ts';
import type { SqliteTx } from './write-queue.ts';

const insert = `insert into inbox (run_id, kind, payload, source, wakes, at, read_at)
  values (?, ?, ?, ?, ?, ?, null)
  on conflict (run_id, source) where source is not null do nothing`;

/** What was withdrawn when it was given up, and not before. */
const restore = `update approvals set state = 'pending', decided_at = null
  where run_id = :id and state = 'withdrawn'
    and decided_at = (select finished_at from runs where id = :id and state = 'dead')`;

const reopen = `update runs set state = 'open', strikes = 0, finished_at = null, updated_at = ?
  where id = ? and state in ('paused', 'dead', 'completed', 'failed')`;

const wake = `update runs set
    wake_at = :now,
    due_at = case when lease_owner is null then :now else due_at end
  where id = :id and state in ('open', 'paused') and (wake_at is null or wake_at > :now)`;

/** As `insertMessage`, with prepared statements. */
export function sendMessage(
  { database, now, wake: wakeUp }: SqliteTx,
  { runId, ...message }: NewMessage & { readonly runId: string },
): boolean {
  if (database.get('select 1 from runs where id = ?', runId) === undefined) {
    throw noSuchRun(runId);
  }
  const wakes = message.wakes ?? true;
  const inserted = database.run(
    insert,
    runId,
    message.kind,
    writeJson(message.payload),
    message.source ?? null,
    wakes ? 1 : 0,
    now,
  );
  if (inserted === 0) return false;
  if (message.reopens === true) {
    database.runNamed(restore, { id: runId });
    database.run(reopen, now, runId);
  }
  if (wakes) {
    database.runNamed(wake, { id: runId, now });
    wakeUp(runId);
  }
  return true;
}
