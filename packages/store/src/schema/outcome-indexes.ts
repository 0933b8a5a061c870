import type { SchemaMake } from './schema-make.ts';

/**
 * Outcomes are events, and few among many: indexes of those alone cost other appends nothing. All
 * of them by time, those of one kind, and those of one run.
 */
export function outcomeIndexes({ outcomeKind }: SchemaMake): readonly string[] {
  return [
    `create index events_outcomes on events (at, position) where type = 'outcome.recorded'`,
    `create index events_outcomes_by_kind on events ((${outcomeKind}), at, position)
      where type = 'outcome.recorded'`,
    `create index events_outcomes_by_run on events (run_id, at, position)
      where type = 'outcome.recorded'`,
  ];
}
