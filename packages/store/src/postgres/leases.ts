import { ForgeError } from '@forge/core';
import type { Store } from '../store.ts';
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

const hold = `select 1 from runs where id = $1 and fence = $2 and lease_owner is not null
  for no key update`;
const giveBack = `
  with next as (
    select least(
      $2::bigint,
      (select min(due_at) from timers where run_id = $1),
      (select $3::bigint where exists (
        select 1 from inbox where run_id = $1 and read_at is null and wakes = 1))
    ) as at
  )
  update runs set lease_owner = null, lease_until = null,
    wake_at = case when state in ('open', 'paused') then next.at end,
    due_at = case when state in ('open', 'paused') then next.at end
  from next where id = $1 returning wake_at`;

/**
 * Gives a lease back. The row is held first and the inbox is read by a later statement: whoever
 * sends meanwhile either was before it, and is seen, or comes after it, and finds the run free.
 */
export async function release(
  { client, now, wake }: PostgresTx,
  { runId, fence, wakeAt }: Parameters<Store['release']>[0],
): Promise<void> {
  const held = await client.query({ name: 'forge_hold', text: hold, values: [runId, fence] });
  if (held.rowCount !== 1) throw leaseLost(runId);
  const { rows } = await client.query<{ wake_at: number | null }>({
    name: 'forge_release',
    text: giveBack,
    values: [runId, wakeAt === undefined ? null : Math.trunc(wakeAt), now],
  });
  const next = rows[0]?.wake_at ?? undefined;
  if (next !== undefined && next <= now) wake(runId);
}

const held = 'where id = $1 and fence = $2 and lease_owner is not null';
const again = `update runs set strikes = strikes + 1, lease_owner = null, lease_until = null,
  wake_at = $4, due_at = $4, updated_at = $3 ${held}`;
const bury = `update runs set strikes = strikes + 1, lease_owner = null, lease_until = null,
  wake_at = null, due_at = null, updated_at = $3, finished_at = $3, state = 'dead',
  dead_reason = $4, dead_explanation = $5 ${held}`;

/** One strike more for a run that could not go on, or its end. */
export async function strike(
  { client, now, wake }: PostgresTx,
  { runId, fence, delay, dead }: Parameters<Store['strike']>[0],
): Promise<void> {
  const wakeAt = now + Math.trunc(delay);
  const { rowCount } =
    dead === undefined
      ? await client.query(again, [runId, fence, now, wakeAt])
      : await client.query(bury, [runId, fence, now, dead.reason, dead.explanation]);
  if (rowCount !== 1) throw leaseLost(runId);
  if (dead === undefined && wakeAt <= now) wake(runId);
}
