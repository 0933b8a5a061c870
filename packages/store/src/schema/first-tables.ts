import type { SchemaMake } from './schema-make.ts';

const daily = (int: string) => `
  day text not null,
  agent text not null,
  runs_started ${int} not null default 0,
  runs_completed ${int} not null default 0,
  runs_failed ${int} not null default 0,
  runs_cancelled ${int} not null default 0,
  turns ${int} not null default 0,
  tool_calls ${int} not null default 0,
  tool_errors ${int} not null default 0,
  refusals ${int} not null default 0,
  input_tokens ${int} not null default 0,
  output_tokens ${int} not null default 0,
  cost_nano ${int} not null default 0,
  primary key (day, agent)`;

/** Version 1. Once released, a change is a new migration, never an edit here. */
export function firstTables({
  int,
  bytes,
  serial,
  eventColumns,
  tableEnd: end,
  extra,
}: SchemaMake) {
  const owned = 'text not null references runs (id) on delete cascade';
  return [
    `create table runs (
      id text primary key not null,
      agent text not null,
      title text,
      tenant text not null,
      priority ${int} not null,
      parent_id text,
      parent_call_id text,
      root_id text not null,
      labels text not null,
      state text not null,
      seq ${int} not null,
      fence ${int} not null,
      lease_owner text,
      lease_until ${int},
      wake_at ${int},
      due_at ${int},
      strikes ${int} not null,
      lease_wrote ${int} not null,
      turns ${int} not null,
      input_tokens ${int} not null,
      output_tokens ${int} not null,
      cached_input_tokens ${int},
      cache_write_tokens ${int},
      reasoning_tokens ${int},
      cost_nano ${int} not null,
      reason text,
      explanation text,
      dead_reason text,
      dead_explanation text,
      created_at ${int} not null,
      updated_at ${int} not null,
      finished_at ${int},
      forked_from text,
      forked_seq ${int} not null
    )${end}`,
    // A lane is what one tenant has waiting for one agent at one priority: claims go over lanes.
    // The state leads, though it is always the same: so the planner prefers these to lists by state.
    `create index runs_lanes on runs (state, priority, tenant, agent, due_at, id)
      where state = 'open' and due_at is not null`,
    `create index runs_due on runs (state, due_at) where state = 'open' and due_at is not null`,
    `create index runs_leased on runs (lease_until, agent, tenant) where lease_until is not null`,
    `create index runs_by_age on runs (created_at, id)`,
    `create index runs_by_state on runs (state, created_at, id)`,
    `create index runs_by_agent on runs (agent, state, created_at, id)`,
    `create index runs_by_tenant on runs (tenant, state, created_at, id)`,
    `create index runs_by_parent on runs (parent_id, created_at, id) where parent_id is not null`,
    `create index runs_by_root on runs (root_id, created_at, id)`,
    `create index runs_ended on runs (finished_at, id) where finished_at is not null`,

    `create table run_labels (
      run_id ${owned},
      name text not null,
      value text not null,
      created_at ${int} not null,
      primary key (run_id, name)
    )${end}`,
    `create index run_labels_by_value on run_labels (name, value, created_at, run_id)`,

    // No reference to runs: an append changes the run's row first, so it is there.
    `create table events (
      position ${serial},
      run_id text not null,
      seq ${int} not null,
      v ${int} not null,
      type text not null,
      at ${int} not null,
      data text,
      blob text${eventColumns}
    )${end}`,
    `create unique index events_by_run on events (run_id, seq)`,
    `create index events_by_blob on events (blob) where blob is not null`,

    `create table inbox (
      id ${serial},
      run_id ${owned},
      kind text not null,
      payload text not null,
      source text,
      wakes ${int} not null,
      at ${int} not null,
      read_at ${int}
    )${end}`,
    `create unique index inbox_by_source on inbox (run_id, source) where source is not null`,
    `create index inbox_by_run on inbox (run_id, id)`,
    `create index inbox_unread on inbox (run_id, id) where read_at is null`,

    `create table timers (
      run_id ${owned},
      name text not null,
      due_at ${int} not null,
      primary key (run_id, name)
    )${end}`,

    `create table approvals (
      id text primary key not null,
      run_id ${owned},
      root_id text not null,
      agent text not null,
      call_id text not null,
      tool text not null,
      proposed text not null,
      deciders text,
      question text,
      expires_at ${int},
      state text not null,
      requested_at ${int} not null,
      decided_at ${int},
      decided_by text,
      via text,
      approved text,
      answer text,
      reason text
    )${end}`,
    `create index approvals_by_age on approvals (requested_at, id)`,
    `create index approvals_by_state on approvals (state, requested_at, id)`,
    `create index approvals_by_run on approvals (run_id, requested_at, id)`,
    `create index approvals_by_root on approvals (root_id, requested_at, id)`,
    `create index approvals_expiring on approvals (state, expires_at)
      where state = 'pending' and expires_at is not null`,

    `create table rules (
      id text primary key not null,
      effect text not null,
      pattern text not null,
      scope text not null,
      scope_id text,
      created_by text not null,
      created_at ${int} not null,
      revoked ${int} not null
    )${end}`,
    `create index rules_by_age on rules (created_at, id) where revoked = 0`,

    `create table schedules (
      id text primary key not null,
      agent text not null,
      tenant text not null,
      run_id text,
      spec text not null,
      state text not null,
      next_at ${int},
      last_at ${int},
      created_at ${int} not null,
      version ${int} not null
    )${end}`,
    `create index schedules_due on schedules (state, next_at) where state = 'active' and next_at is not null`,
    `create index schedules_by_agent on schedules (agent, created_at, id)`,
    `create index schedules_by_age on schedules (created_at, id)`,

    `create table firings (
      schedule_id text not null references schedules (id) on delete cascade,
      due_at ${int} not null,
      at ${int} not null,
      outcome text not null,
      detail text,
      run_id text,
      primary key (schedule_id, due_at)
    )${end}`,

    `create table snapshots (
      run_id ${owned},
      version text not null,
      seq ${int} not null,
      state text not null,
      primary key (run_id, version)
    )${end}`,

    `create table blobs (
      hash text primary key not null,
      bytes ${bytes} not null,
      kept ${int} not null
    )${end}`,

    `create table daily_stats (${daily(int)})${end}`,
    `create table daily_base (${daily(int)})${end}`,
    ...extra,
  ];
}
