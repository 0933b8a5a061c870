import type { SchemaMake } from './schema-make.ts';

/** No reference to runs: what was deployed outlives the run that did it. */
export function deploymentsTable({ int, tableEnd }: SchemaMake): readonly string[] {
  return [
    `create table deployments (
      id text primary key not null,
      project text not null,
      target text not null,
      tenant text not null,
      commit_id text not null,
      digest text,
      url text,
      state text not null,
      verified ${int},
      reason text,
      replaces text,
      run_id text,
      detail text not null,
      started_at ${int} not null,
      ended_at ${int}
    )${tableEnd}`,
    // Traffic has one place to go to, whatever a program does.
    `create unique index deployments_live on deployments (project, target) where state = 'live'`,
    `create index deployments_by_age on deployments (started_at, id)`,
    `create index deployments_by_project on deployments (project, started_at, id)`,
    `create index deployments_by_target on deployments (project, target, started_at, id)`,
    `create index deployments_by_state on deployments (state, started_at, id)`,
    `create index deployments_by_tenant on deployments (tenant, started_at, id)`,
  ];
}
