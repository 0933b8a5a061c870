import type { Selectable } from 'kysely';
import type pg from 'pg';
import { type LeaseCount, LeaseLimits } from '../claim/lease-limits.ts';
import { findVersion, refuseNewer } from '../schema/migrate.ts';
import type { RunsTable } from '../schema/tables.ts';
import { readRun } from '../sql/readers.ts';
import type { ClaimOptions, Lease } from '../store.ts';
import { type Candidate, findCandidates } from './claim-candidates.ts';
import type { PostgresTx } from './transactions.ts';

/** Any number that nobody else is likely to lock. */
const countingLock = 7_146_302;
const mostRounds = 5;

const countLeased = `select agent, tenant, count(*)::bigint as count from runs
  where lease_until is not null and lease_until > $1 group by agent, tenant`;

/**
 * Leases the first so many of the candidates. Their rows are looked at again as they are now, not as
 * they were when the candidates were found. One that somebody changes at this moment is left to the
 * next claim, unless it is the one that is wanted: then that is waited for.
 */
const takeBy = (patience: '' | 'skip locked') => `
  with picked as materialized (
    select runs.id, wanted.place
    from unnest($1::text[]) with ordinality as wanted (id, place) join runs on runs.id = wanted.id
    where runs.state = 'open' and runs.due_at <= $2::bigint
    order by wanted.place limit $3
    for no key update of runs ${patience}
  )
  update runs set
    fence = fence + 1,
    strikes = strikes + case when lease_owner is not null and lease_wrote = 0 then 1 else 0 end,
    lease_wrote = 0,
    lease_owner = $4,
    lease_until = $5::bigint,
    due_at = $5::bigint
  from picked where runs.id = picked.id
  returning picked.place, runs.*`;
const takeAny = { name: 'forge_take_any', text: takeBy('skip locked') };
const takeOne = { name: 'forge_take_one', text: takeBy('') };

type TakenRow = Selectable<RunsTable> & { readonly place: number };

/** Who was served last; the next claim begins with the tenant after it. */
export interface Turns {
  lastTenant: string | undefined;
}

/** Leases runs: higher priorities first, then tenants in turns, then those due longest. */
export async function claimRuns(
  { client, now }: PostgresTx,
  options: ClaimOptions,
  turns: Turns,
): Promise<readonly Lease[]> {
  const limited = LeaseLimits.areAsked(options);
  // Two who count at the same time would both find room for the last one.
  if (limited) await client.query('select pg_advisory_xact_lock($1)', [countingLock]);
  const counts = limited ? await readCounts(client, now) : [];
  const limits = new LeaseLimits(options, counts);
  const tenants = new Set(counts.map(({ tenant }) => tenant));
  const leases: Lease[] = [];
  const passed = new Set<string>();
  for (let round = 0; round < mostRounds && leases.length < options.limit; round += 1) {
    const limit = options.limit - leases.length;
    const full = {
      agents: Object.keys(options.perAgent ?? {}).filter((agent) => !limits.allows(agent, '')),
      tenants: [...tenants].filter((tenant) => !limits.allows('', tenant)),
    };
    const { lastTenant } = turns;
    const search = { ...options, limit, now, lastTenant, full };
    const { candidates, more } = await findCandidates(client, search);
    const fresh = candidates.filter(({ id }) => !passed.has(id));
    const chosen = limited ? withinLimits(fresh, limits, limit) : fresh;
    if (chosen.length === 0) break;
    for (const { id, tenant } of chosen) {
      passed.add(id);
      tenants.add(tenant);
    }
    const taken = await lease(client, { chosen, options, now, limit });
    leases.push(...taken);
    const last = taken.at(-1);
    if (last !== undefined && options.runId === undefined) turns.lastTenant = last.run.tenant ?? '';
    if (!more) break;
  }
  return leases;
}

/** Those that may be leased, counted as leased. */
function withinLimits(
  candidates: readonly Candidate[],
  limits: LeaseLimits,
  most: number,
): readonly Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (chosen.length === most) break;
    const { agent, tenant } = candidate;
    if (!limits.allows(agent, tenant)) continue;
    limits.take(agent, tenant);
    chosen.push(candidate);
  }
  return chosen;
}

async function lease(
  client: pg.ClientBase,
  claim: {
    readonly chosen: readonly Candidate[];
    readonly options: ClaimOptions;
    readonly now: number;
    readonly limit: number;
  },
): Promise<readonly Lease[]> {
  const { chosen, options, now, limit } = claim;
  const until = now + Math.trunc(options.ttl);
  const { rows } = await client.query<TakenRow>({
    ...(options.runId === undefined ? takeAny : takeOne),
    values: [chosen.map(({ id }) => id), now, limit, options.owner, until],
  });
  return rows
    .sort((a, b) => a.place - b.place)
    .map((row) => {
      const run = readRun(row);
      return { run, fence: run.fence, until };
    });
}

async function readCounts(client: pg.ClientBase, now: number): Promise<readonly LeaseCount[]> {
  const { rows } = await client.query<LeaseCount>(countLeased, [now]);
  return rows;
}

/** Whether a claim could give anything: asked first, because a claim is a write. */
export async function anyDue(
  client: pg.ClientBase,
  { runId, now }: { readonly runId: string | undefined; readonly now: number | undefined },
): Promise<boolean> {
  const clock = 'coalesce($1::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)';
  const due = `select (${findVersion}) as version from runs where state = 'open' and due_at is not null and due_at <= ${clock}`;
  const query =
    runId === undefined
      ? { name: 'forge_any_due', text: `${due} limit 1`, values: [now ?? null] }
      : { name: 'forge_is_due', text: `${due} and id = $2`, values: [now ?? null, runId] };
  const { rows } = await client.query<{ version: string }>(query);
  if (rows[0] !== undefined) refuseNewer(Number(rows[0].version));
  return rows.length > 0;
}
