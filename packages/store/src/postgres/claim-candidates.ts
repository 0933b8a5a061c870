import type pg from 'pg';
import type { ClaimOptions } from '../store.ts';

/** A run that may be leased. */
export interface Candidate {
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
}

const open = `state = 'open' and due_at is not null`;
/** Before any time there is. */
const beginning = '-9223372036854775808';
/** More than are wanted: others may be faster with some of them. */
const spare = 32;

/**
 * A lane is what one tenant has waiting for one agent at one priority. The lanes are found by
 * stepping through their index, a few rows of each are read, and they are put in the order of the
 * claim: priorities, then tenants in turns, beginning after the one that was served last.
 *
 * $1 now, $2 rows of a lane, $3 agents or null, $4 the last tenant or null, $5 most rows,
 * $6 and $7 agents and tenants that have all they may.
 */
const statement = `
  with recursive lane as (
    (select priority, tenant, agent from runs where ${open} order by priority, tenant, agent limit 1)
    union all
    select next.priority, next.tenant, next.agent from lane, lateral (
      select priority, tenant, agent from runs
      where ${open} and (priority, tenant, agent) > (lane.priority, lane.tenant, lane.agent)
      order by priority, tenant, agent limit 1
    ) as next
  ),
  waiting as (
    select lane.priority, lane.tenant, lane.agent, due.id, due.due_at,
      row_number() over (partition by lane.priority, lane.tenant order by due.due_at, due.id) as turn
    from lane, lateral (
      -- Compared as a whole, so that no other index seems to do: a planner with old figures would
      -- read every run of the tenant.
      select id, due_at from runs
      where ${open}
        and (priority, tenant, agent, due_at) >= (lane.priority, lane.tenant, lane.agent, '${beginning}'::bigint)
        and (priority, tenant, agent, due_at) <= (lane.priority, lane.tenant, lane.agent, $1::bigint)
      order by priority, tenant, agent, due_at, id limit $2::bigint
    ) as due
    where ($3::text[] is null or lane.agent = any ($3::text[]))
      and lane.agent <> all ($6::text[]) and lane.tenant <> all ($7::text[])
  )
  select id, agent, tenant from waiting
  order by priority desc, turn, coalesce(tenant > $4::text, false) desc, tenant
  limit $5::bigint`;

const one = `select id, agent, tenant from runs where id = $1 and ${open} and due_at <= $2::bigint
  and ($3::text[] is null or agent = any ($3::text[]))`;

/** Those that come first, and whether there may be more. */
export async function findCandidates(
  client: pg.ClientBase,
  search: Pick<ClaimOptions, 'agents' | 'runId' | 'limit'> & {
    readonly now: number;
    readonly lastTenant: string | undefined;
    readonly full: { readonly agents: readonly string[]; readonly tenants: readonly string[] };
  },
): Promise<{ readonly candidates: readonly Candidate[]; readonly more: boolean }> {
  const { runId, now, limit, lastTenant, full } = search;
  const agents = search.agents ?? null;
  if (runId !== undefined) {
    const values = [runId, now, agents];
    const { rows } = await client.query<Candidate>({ name: 'forge_candidate', text: one, values });
    return { candidates: rows, more: false };
  }
  const most = limit + spare;
  const { rows } = await client.query<Candidate>({
    name: 'forge_candidates',
    text: statement,
    values: [now, most, agents, lastTenant ?? null, most, full.agents, full.tenants],
  });
  return { candidates: rows, more: rows.length === most };
}
