import type { Selectable } from 'kysely';
import { type LeaseCount, LeaseLimits } from '../claim/lease-limits.ts';
import type { TenantTurns } from '../claim/tenant-turns.ts';
import { findVersion, refuseNewer } from '../schema/migrate.ts';
import type { RunsTable } from '../schema/tables.ts';
import { readRun } from '../sql/readers.ts';
import type { ClaimOptions, Lease } from '../store.ts';
import { dueLanes, type Lane, priorityBelow, TenantQueue } from './lanes.ts';
import type { SqliteTx } from './write-queue.ts';

const open = `state = 'open' and due_at is not null`;
const anyDue = `select 1 from runs where ${open} and due_at <= ? limit 1`;
const oneDue = `select agent, tenant from runs where id = ? and ${open} and due_at <= ?`;
const countLeased = `select agent, tenant, count(*) as count from runs
  where lease_until is not null and lease_until > ? group by agent, tenant`;
const take = `update runs set
    fence = fence + 1,
    strikes = strikes + (lease_owner is not null and lease_wrote = 0),
    lease_wrote = 0,
    lease_owner = :owner,
    lease_until = :until,
    due_at = :until
  where id = :id
  returning *`;

type Allows = (lane: Pick<Lane, 'agent' | 'tenant'>) => boolean;

/** Leases runs: higher priorities first, then tenants in turns, then those due longest. */
export function claimRuns(
  tx: SqliteTx,
  options: ClaimOptions,
  turns: TenantTurns,
): readonly Lease[] {
  const { database, now } = tx;
  if (options.limit < 1 || database.get(anyDue, now) === undefined) return [];
  refuseNewer(Number(database.get<{ value: string }>(findVersion)?.value));
  const counts = LeaseLimits.areAsked(options) ? database.all<LeaseCount>(countLeased, now) : [];
  const limits = new LeaseLimits(options, counts);
  const agents = options.agents && new Set(options.agents);
  const allows: Allows = ({ agent, tenant }) =>
    (agents === undefined || agents.has(agent)) && limits.allows(agent, tenant);

  if (options.runId !== undefined) {
    const row = database.get<{ agent: string; tenant: string }>(oneDue, options.runId, now);
    return row !== undefined && allows(row) ? [lease(tx, options, options.runId)] : [];
  }
  const leases: Lease[] = [];
  let priority = priorityBelow(tx, Number.MAX_SAFE_INTEGER);
  while (priority !== undefined && leases.length < options.limit) {
    const most = options.limit - leases.length;
    for (const { id, lane } of inTurns(tx, { priority, most, allows, turns })) {
      limits.take(lane.agent, lane.tenant);
      leases.push(lease(tx, options, id));
    }
    priority = priorityBelow(tx, priority);
  }
  return leases;
}

/** Up to so many due runs of a priority: one of each tenant, then another of each. */
function* inTurns(
  tx: SqliteTx,
  {
    priority,
    most,
    allows,
    turns,
  }: {
    readonly priority: number;
    readonly most: number;
    readonly allows: Allows;
    readonly turns: TenantTurns;
  },
) {
  const lanes = dueLanes(tx, priority);
  let waiting = turns
    .order([...lanes.keys()])
    .map((tenant) => ({ tenant, queue: new TenantQueue(tx, lanes.get(tenant) ?? [], most) }));
  let given = 0;
  while (waiting.length > 0) {
    const more: typeof waiting = [];
    for (const each of waiting) {
      if (given === most) return;
      const next = each.queue.next(allows);
      if (next === undefined) continue;
      more.push(each);
      given += 1;
      turns.served(each.tenant);
      yield next;
    }
    waiting = more;
  }
}

function lease({ database, now }: SqliteTx, { owner, ttl }: ClaimOptions, id: string): Lease {
  const until = now + Math.trunc(ttl);
  const row = database.getNamed<Selectable<RunsTable>>(take, { id, owner, until });
  if (row === undefined) throw new Error(`Run ${id} went away inside a transaction.`);
  const run = readRun(row);
  return { run, fence: run.fence, until };
}
