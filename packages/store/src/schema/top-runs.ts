import type { SchemaMake } from './schema-make.ts';

/**
 * Runs without a parent are what a person asked for. Listing and counting them walks over no
 * children, of which there are many more, with the same labels. No index is added for it: the ones
 * that are there tell them apart before the state.
 */
export function topRuns({ int, generatedEnd }: SchemaMake): readonly string[] {
  return [
    `alter table runs add column top ${int}
      generated always as (case when parent_id is null then 1 else 0 end) ${generatedEnd}`,
    `drop index runs_by_state`,
    `create index runs_by_top on runs (top, state, created_at, id)`,
    `drop index runs_by_agent`,
    `create index runs_by_agent on runs (agent, top, state, created_at, id)`,

    `alter table run_labels add column top ${int} not null default 1`,
    `update run_labels set top = 0
      where run_id in (select id from runs where parent_id is not null)`,
    `drop index run_labels_by_state`,
    `create index run_labels_by_top on run_labels (name, value, top, state, created_at, run_id)`,
  ];
}
