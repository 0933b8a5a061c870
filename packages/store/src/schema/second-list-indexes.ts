import type { SchemaMake } from './schema-make.ts';

/**
 * Version 2: a label with a state, and an agent with a tenant, are walks of one index. Labels have
 * the state of their run, which the database itself keeps so, whoever changes a run.
 */
export function listIndexes({ labelStates }: SchemaMake) {
  return [
    `alter table run_labels add column state text not null default 'open'`,
    `update run_labels set state = (select runs.state from runs where runs.id = run_labels.run_id)`,
    `drop index run_labels_by_value`,
    `create index run_labels_by_state on run_labels (name, value, state, created_at, run_id)`,
    `create index runs_by_agent_and_tenant on runs (agent, tenant, state, created_at, id)`,
    ...labelStates,
  ];
}
