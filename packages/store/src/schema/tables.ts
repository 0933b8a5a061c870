import type { Generated, GeneratedAlways } from 'kysely';

/**
 * The tables, as both makes have them. Times are milliseconds since 1970, JSON is text (digits stay
 * as they were written), money is in billionths of a dollar so that sums do not depend on their
 * order. Numbers may arrive as text or bigint from a driver: read them through `readers.ts`.
 */
export interface Tables {
  meta: MetaTable;
  runs: RunsTable;
  run_labels: RunLabelsTable;
  events: EventsTable;
  inbox: InboxTable;
  timers: TimersTable;
  approvals: ApprovalsTable;
  rules: RulesTable;
  schedules: SchedulesTable;
  firings: FiringsTable;
  snapshots: SnapshotsTable;
  blobs: BlobsTable;
  daily_stats: DailyTable;
  /** What runs that were pruned had added to `daily_stats`: a rebuild starts from it. */
  daily_base: DailyTable;
  facts: FactsTable;
  deployments: DeploymentsTable;
}

export interface MetaTable {
  key: string;
  value: string;
}

export interface RunsTable {
  id: string;
  agent: string;
  title: string | null;
  /** Empty for none. */
  tenant: string;
  priority: number;
  parent_id: string | null;
  parent_call_id: string | null;
  root_id: string;
  /** 1 if it has no parent; the database computes it. */
  top: GeneratedAlways<number>;
  labels: string;
  state: string;
  seq: number;
  fence: number;
  lease_owner: string | null;
  lease_until: number | null;
  /** When it wants to be worked on; null: when something arrives. */
  wake_at: number | null;
  /** When it may be claimed: `wake_at`, or the end of its lease while it has one. */
  due_at: number | null;
  strikes: number;
  /** 1 once the lease that is held, or was last held, had written something. */
  lease_wrote: number;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  cost_nano: number;
  reason: string | null;
  explanation: string | null;
  /** Why it was given up; shown in place of `reason` while it is dead. */
  dead_reason: string | null;
  dead_explanation: string | null;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  /** Of a fork: events up to this one are copies, and no work of this run. */
  forked_from: string | null;
  forked_seq: number;
}

/** One row per label, so that a filter on one is a page of an index. */
export interface RunLabelsTable {
  run_id: string;
  name: string;
  value: string;
  /** Of the run; the database keeps it so. */
  state: Generated<string>;
  /** 1 if the run has no parent. */
  top: Generated<number>;
  created_at: number;
}

export interface EventsTable {
  /** Rises over all runs, and is never given twice. */
  position: Generated<number>;
  run_id: string;
  seq: number;
  v: number;
  type: string;
  at: number;
  /** The happening as JSON; null when it is in `blobs` under `blob`. */
  data: string | null;
  blob: string | null;
}

export interface InboxTable {
  id: Generated<number>;
  run_id: string;
  kind: string;
  payload: string;
  source: string | null;
  wakes: number;
  at: number;
  /** When it was read; null: not yet. */
  read_at: number | null;
}

export interface TimersTable {
  run_id: string;
  name: string;
  due_at: number;
}

export interface ApprovalsTable {
  id: string;
  run_id: string;
  root_id: string;
  agent: string;
  call_id: string;
  tool: string;
  proposed: string;
  deciders: string | null;
  question: string | null;
  expires_at: number | null;
  state: string;
  requested_at: number;
  decided_at: number | null;
  decided_by: string | null;
  via: string | null;
  approved: string | null;
  answer: string | null;
  reason: string | null;
}

export interface RulesTable {
  id: string;
  effect: string;
  pattern: string;
  /** `run`, `agent` or `always`, and whose. */
  scope: string;
  scope_id: string | null;
  created_by: string;
  created_at: number;
  /** A revoked rule stays, for the record of what it decided. */
  revoked: number;
}

export interface SchedulesTable {
  id: string;
  agent: string;
  tenant: string;
  run_id: string | null;
  spec: string;
  state: string;
  next_at: number | null;
  last_at: number | null;
  created_at: number;
  version: number;
}

export interface FiringsTable {
  schedule_id: string;
  due_at: number;
  at: number;
  outcome: string;
  detail: string | null;
  run_id: string | null;
}

export interface SnapshotsTable {
  run_id: string;
  version: string;
  seq: number;
  state: string;
}

export interface BlobsTable {
  hash: string;
  bytes: Uint8Array;
  /** 1 if somebody put it by name: then it outlives the events that use it. */
  kept: number;
}

export interface DailyTable {
  day: string;
  agent: string;
  /** Empty for none. */
  model: string;
  runs_started: number;
  runs_completed: number;
  runs_failed: number;
  runs_cancelled: number;
  turns: number;
  replies: number;
  tool_calls: number;
  tool_errors: number;
  refusals: number;
  input_tokens: number;
  output_tokens: number;
  cost_nano: number;
}

export interface FactsTable {
  id: Generated<number>;
  scope: string;
  key: string;
  value: string;
  source: string | null;
  created_at: number;
  updated_at: number;
}

export interface DeploymentsTable {
  id: string;
  project: string;
  target: string;
  /** Empty for none. */
  tenant: string;
  commit_id: string;
  digest: string | null;
  url: string | null;
  state: string;
  /** 1 or 0; null before a verification. */
  verified: number | null;
  reason: string | null;
  replaces: string | null;
  run_id: string | null;
  detail: string;
  started_at: number;
  ended_at: number | null;
}
