import type { SqliteTx } from './write-queue.ts';

// Every query repeats the condition of the partial indexes: runs that wait for nothing cost nothing.
const open = `state = 'open' and due_at is not null`;
const nextPriority = `select max(priority) as priority from runs where ${open} and priority < ?`;
const nextLane = `select tenant, agent, due_at as due from runs
  where ${open} and priority = ? and (tenant, agent) > (?, ?)
  order by tenant, agent, due_at limit 1`;
const dueInLane = `select id, due_at as due from runs
  where ${open} and priority = ? and tenant = ? and agent = ? and due_at <= ?
  order by due_at, id limit ?`;

/** What one tenant has waiting for one agent at one priority. */
export interface Lane {
  readonly priority: number;
  readonly tenant: string;
  readonly agent: string;
  /** When its first run is due. */
  readonly due: number;
}

/** The highest priority below one that has runs to wait for; undefined if there is none. */
export function priorityBelow({ database }: SqliteTx, priority: number): number | undefined {
  return database.get<{ priority: number | null }>(nextPriority, priority)?.priority ?? undefined;
}

/** The lanes of a priority in which something is due, by tenant. One step of the index for each. */
export function dueLanes(
  { database, now }: SqliteTx,
  priority: number,
): ReadonlyMap<string, readonly Lane[]> {
  const byTenant = new Map<string, Lane[]>();
  let tenant = '';
  let agent = '';
  for (;;) {
    const row = database.get<{ tenant: string; agent: string; due: number }>(
      nextLane,
      priority,
      tenant,
      agent,
    );
    if (row === undefined) return byTenant;
    ({ tenant, agent } = row);
    if (row.due > now) continue;
    const lanes = byTenant.get(tenant);
    if (lanes === undefined) byTenant.set(tenant, [{ priority, ...row }]);
    else lanes.push({ priority, ...row });
  }
}

interface LaneHead {
  readonly lane: Lane;
  /** When the first of those that are left is due. */
  due: number;
  /** Last first; undefined until somebody asks. */
  rows: { readonly id: string; readonly due: number }[] | undefined;
}

/** The due runs of a tenant, one at a time: always the one that is due longest. */
export class TenantQueue {
  readonly #tx: SqliteTx;
  readonly #lanes: readonly LaneHead[];
  /** No more than so many will be asked for. */
  readonly #most: number;

  constructor(tx: SqliteTx, lanes: readonly Lane[], most: number) {
    this.#tx = tx;
    this.#lanes = lanes.map((lane) => ({ lane, due: lane.due, rows: undefined }));
    this.#most = most;
  }

  /** The next one of those agents that are allowed. */
  next(allows: (lane: Lane) => boolean): { readonly id: string; readonly lane: Lane } | undefined {
    let oldest: LaneHead | undefined;
    for (const candidate of this.#lanes) {
      if (candidate.due < (oldest?.due ?? Number.POSITIVE_INFINITY) && allows(candidate.lane))
        oldest = candidate;
    }
    if (oldest === undefined) return undefined;
    const { lane } = oldest;
    oldest.rows ??= this.#tx.database
      .all<{ id: string; due: number }>(
        dueInLane,
        lane.priority,
        lane.tenant,
        lane.agent,
        this.#tx.now,
        this.#most,
      )
      .reverse();
    const first = oldest.rows.pop();
    oldest.due = oldest.rows.at(-1)?.due ?? Number.POSITIVE_INFINITY;
    return first && { id: first.id, lane };
  }
}
