import { asText } from '../as-text.ts';
import type { Store } from '../store.ts';
import { leaseLost } from './advance-run.ts';
import { checkReceivers } from './append-step.ts';
import { sendMessage } from './send-message.ts';
import type { SqliteTx } from './write-queue.ts';

const extend = `update runs set lease_until = :until, due_at = :until
  where id = :id and fence = :fence and lease_owner is not null`;

/** Extends leases; gives the ids of those that are lost. */
export function heartbeat(
  { database, now }: SqliteTx,
  [leases, ttl]: Parameters<Store['heartbeat']>,
): readonly string[] {
  const until = now + Math.trunc(ttl);
  return leases
    .filter(({ runId, fence }) => database.runNamed(extend, { id: runId, fence, until }) === 0)
    .map(({ runId }) => runId);
}

const nextTimer = 'select min(due_at) as due_at from timers where run_id = ?';
const unread = 'select 1 from inbox where run_id = ? and read_at is null and wakes = 1 limit 1';
const giveBack = `update runs set lease_owner = null, lease_until = null,
    wake_at = case when state in ('open', 'paused') then :wakeAt end,
    due_at = case when state in ('open', 'paused') then :wakeAt end
  where id = :id and fence = :fence and lease_owner is not null`;
const ended = 'select 1 from runs where id = ? and fence = ? and finished_at is not null';

/**
 * Gives a lease back, and sees to it that whatever came meanwhile is not forgotten. One that went
 * with the append that ended its run counts as given back.
 */
export function release(
  tx: SqliteTx,
  { runId, fence, wakeAt }: Parameters<Store['release']>[0],
): void {
  const { database, now } = tx;
  const timer = database.get<{ due_at: number | null }>(nextTimer, runId)?.due_at ?? undefined;
  const times = [
    ...(wakeAt === undefined ? [] : [Math.trunc(wakeAt)]),
    ...(timer === undefined ? [] : [timer]),
    ...(database.get(unread, runId) === undefined ? [] : [now]),
  ];
  const next = times.length === 0 ? null : Math.min(...times);
  const changed = database.runNamed(giveBack, { id: runId, fence, wakeAt: next });
  if (changed === 0) {
    if (database.get(ended, runId, fence) === undefined) throw leaseLost(runId);
    return;
  }
  if (next !== null && next <= now) tx.wake(runId);
}

const againWith = (strikes: 0 | 1) => `update runs set strikes = strikes + ${strikes},
    lease_owner = null, lease_until = null, wake_at = :wakeAt, due_at = :wakeAt, updated_at = :now
  where id = :id and fence = :fence and lease_owner is not null`;
const again = againWith(1);
const later = againWith(0);
const bury = `update runs set strikes = strikes + 1, lease_owner = null, lease_until = null,
    wake_at = null, due_at = null, updated_at = :now, finished_at = :now, state = 'dead',
    dead_reason = :reason, dead_explanation = :explanation
  where id = :id and fence = :fence and lease_owner is not null`;

/** Nobody can decide for it any more; until it is opened again. */
const withdraw = `update approvals set state = 'withdrawn', decided_at = ?
  where run_id = ? and state = 'pending'`;

/** Gives a lease back that was not used. */
export function postpone(
  { database, now, wake }: SqliteTx,
  { runId, fence, delay }: Parameters<Store['postpone']>[0],
): void {
  const wakeAt = now + Math.trunc(delay);
  const changed = database.runNamed(later, { id: runId, fence, now, wakeAt });
  if (changed === 0) throw leaseLost(runId);
  if (wakeAt <= now) wake(runId);
}

/** One strike more for a run that could not go on, or its end. */
export function strike(
  tx: SqliteTx,
  { runId, fence, delay, dead, sends = [] }: Parameters<Store['strike']>[0],
): void {
  const { database, now } = tx;
  checkReceivers(tx, sends);
  const wakeAt = now + Math.trunc(delay);
  const changed =
    dead === undefined
      ? database.runNamed(again, { id: runId, fence, now, wakeAt })
      : database.runNamed(bury, {
          id: runId,
          fence,
          now,
          reason: dead.reason,
          explanation: asText(dead.explanation),
        });
  if (changed === 0) throw leaseLost(runId);
  if (dead !== undefined) database.run(withdraw, now, runId);
  for (const send of sends) sendMessage(tx, send);
  if (dead !== undefined || wakeAt <= now) tx.wake(runId);
}
