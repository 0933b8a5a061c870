import { checkFraction, checkWhole } from './check-options.ts';
import type { CompactionStrategy } from './compaction.ts';
import { Draft } from './draft.ts';
import { oldUnits, recentStart } from './recent-turns.ts';

/**
 * Once the trigger is reached, everything before the last `keepTurns` turns goes, summaries too;
 * only inputs and calls that still wait stay.
 */
export function slidingWindow({
  keepTurns,
  trigger = 0.75,
}: {
  keepTurns: number;
  trigger?: number;
}): CompactionStrategy {
  checkWhole('keepTurns', keepTurns);
  checkFraction('trigger', trigger);
  return (input) => {
    if (input.tokens < trigger * input.budget) return undefined;
    const draft = new Draft(input);
    for (const unit of oldUnits(input.units, recentStart(input.window, keepTurns))) {
      draft.drop(unit);
    }
    return { tier: 'window', changes: draft.changes };
  };
}
