import { ForgeError } from '@forge/core';
import { asText } from '../as-text.ts';
import { withdrawAll } from '../sql/dead-approvals.ts';
import { insertMessage } from '../sql/insert-message.ts';
import type { Store } from '../store.ts';
import type { Outcome } from './batch-queue.ts';
import { lockRuns } from './lock-runs.ts';
import type { PostgresTx } from './transactions.ts';

export function leaseLost(runId: string): ForgeError {
  return new ForgeError(
    'lease_lost',
    `The lease of run "${runId}" is somebody else's by now, or was given back. Stop working on it.`,
  );
}

const extend = `
  with held as materialized (
    select runs.id from unnest($1::text[], $2::bigint[]) as leases (id, fence)
    join runs on runs.id = leases.id
    where runs.fence = leases.fence and runs.lease_owner is not null
    order by runs.id
    for no key update of runs
  )
  update runs set lease_until = $3::bigint, due_at = $3::bigint
  from held where runs.id = held.id returning runs.id, runs.fence`;

/** Extends leases; gives the ids of those that are lost. Saying it twice changes nothing. */
export async function heartbeat(
  { client, now }: Pick<PostgresTx, 'client' | 'now'>,
  [leases, ttl]: Parameters<Store['heartbeat']>,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string; fence: number }>({
    name: 'forge_heartbeat',
    text: extend,
    values: [
      leases.map(({ runId }) => runId),
      leases.map(({ fence }) => fence),
      now + Math.trunc(ttl),
    ],
  });
  const kept = new Map(rows.map(({ id, fence }) => [id, fence]));
  return leases.filter(({ runId, fence }) => kept.get(runId) !== fence).map(({ runId }) => runId);
}

const hold = `
  select runs.id, runs.lease_owner is not null as held
  from unnest($1::text[], $2::bigint[]) as leases (id, fence)
  join runs on runs.id = leases.id
  where runs.fence = leases.fence and (runs.lease_owner is not null or runs.finished_at is not null)
  order by runs.id
  for no key update of runs`;
const giveBack = `
  with next as (
    select leases.id, least(
      leases.wake_at,
      (select min(due_at) from timers where run_id = leases.id),
      (select $3::bigint where exists (
        select 1 from inbox where run_id = leases.id and read_at is null and wakes = 1))
    ) as at
    from unnest($1::text[], $2::bigint[]) as leases (id, wake_at)
  )
  update runs set lease_owner = null, lease_until = null,
    wake_at = case when state in ('open', 'paused') then next.at end,
    due_at = case when state in ('open', 'paused') then next.at end
  from next where runs.id = next.id returning runs.id, runs.wake_at`;

type Release = Parameters<Store['release']>[0];

/**
 * Gives leases back. The rows are held first and the inboxes are read by a later statement: whoever
 * sends meanwhile either was before it, and is seen, or comes after it, and finds the run free. A
 * lease that went with the append that ended its run counts as given back.
 */
export async function releaseAll(
  { client, now, wake }: PostgresTx,
  leases: readonly Release[],
): Promise<readonly Outcome<void>[]> {
  const { rows: ours } = await client.query<{ id: string; held: boolean }>({
    name: 'forge_hold',
    text: hold,
    values: [leases.map(({ runId }) => runId), leases.map(({ fence }) => fence)],
  });
  const isHeld = new Map(ours.map(({ id, held }) => [id, held]));
  const kept = leases.filter(({ runId }) => isHeld.get(runId) === true);
  if (kept.length > 0) {
    const { rows } = await client.query<{ id: string; wake_at: number | null }>({
      name: 'forge_release',
      text: giveBack,
      values: [
        kept.map(({ runId }) => runId),
        kept.map(({ wakeAt }) => (wakeAt === undefined ? null : Math.trunc(wakeAt))),
        now,
      ],
    });
    for (const { id, wake_at: at } of rows) if (at !== null && at <= now) wake(id);
  }
  return leases.map(({ runId }) =>
    isHeld.has(runId) ? { value: undefined } : { error: leaseLost(runId) },
  );
}

const held = 'where id = $1 and fence = $2 and lease_owner is not null';
const againWith = (strikes: 0 | 1) => `update runs set strikes = strikes + ${strikes},
  lease_owner = null, lease_until = null, wake_at = $4, due_at = $4, updated_at = $3 ${held}`;
const again = againWith(1);
const later = againWith(0);
const bury = `update runs set strikes = strikes + 1, lease_owner = null, lease_until = null,
  wake_at = null, due_at = null, updated_at = $3, finished_at = $3, state = 'dead',
  dead_reason = $4, dead_explanation = $5 ${held}`;

/** Gives a lease back that was not used. */
export async function postpone(
  { client, now, wake }: PostgresTx,
  { runId, fence, delay }: Parameters<Store['postpone']>[0],
): Promise<void> {
  const wakeAt = now + Math.trunc(delay);
  const { rowCount } = await client.query(later, [runId, fence, now, wakeAt]);
  if (rowCount !== 1) throw leaseLost(runId);
  if (wakeAt <= now) wake(runId);
}

/** One strike more for a run that could not go on, or its end. */
export async function strike(
  tx: PostgresTx,
  { runId, fence, delay, dead, sends = [] }: Parameters<Store['strike']>[0],
): Promise<void> {
  const { client, now, wake } = tx;
  await lockRuns(client, [runId, ...sends.map((send) => send.runId)]);
  const wakeAt = now + Math.trunc(delay);
  const { rowCount } =
    dead === undefined
      ? await client.query(again, [runId, fence, now, wakeAt])
      : await client.query(bury, [runId, fence, now, dead.reason, asText(dead.explanation)]);
  if (rowCount !== 1) throw leaseLost(runId);
  if (dead !== undefined) await withdrawAll(tx, runId);
  for (const send of sends) await insertMessage(tx, send);
  if (dead !== undefined || wakeAt <= now) wake(runId);
}
