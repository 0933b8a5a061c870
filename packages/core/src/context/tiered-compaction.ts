import { checkFraction, checkWhole } from './check-options.ts';
import type { Change, CompactionInput, CompactionStrategy, SummaryRequest } from './compaction.ts';
import { Draft } from './draft.ts';
import { oldUnits, recentStart } from './recent-turns.ts';
import {
  dropReasoning,
  dropRefusals,
  dropResults,
  dropSteps,
  shrinkRecent,
  shrinkResults,
  type TierInput,
} from './tiers.ts';
import type { Unit } from './units.ts';

/** It compacts to this part of the trigger, so that it does not fire again on the next turn. */
const room = 0.8;
/** While the request still fits, a smaller win than this part of the budget is not worth it. */
const smallestWin = 0.05;
const largestSummary = 1_024;
/** Less than this holds no summary worth having. */
const smallestSummary = 64;

const mildTiers = [
  { tier: 'nudges', run: dropRefusals },
  { tier: 'shrink', run: shrinkResults },
  { tier: 'drop_results', run: dropResults },
  { tier: 'drop_reasoning', run: dropReasoning },
] as const;

interface Candidate {
  readonly tier: string;
  readonly tokens: number;
  readonly changes: readonly Change[];
  readonly summarize?: SummaryRequest;
}

/**
 * Takes out what the model will miss least, in tiers, and stops at the mildest that is enough:
 * refused replies with their nudges (`nudges`); old results shrink (`shrink`); old results leave
 * only a note (`drop_results`); old reasoning goes and old answers are cut (`drop_reasoning`); a
 * summary of all that is old (`summary`), or if nobody can write one, old steps go whole
 * (`drop_steps`); and if what is recent does not fit by itself, its largest results are cut
 * (`shrink_recent`). Old is what came before the last `keepRecentTurns` turns with an accepted
 * reply; 0 protects only what the model has not answered yet.
 */
export function tieredCompaction({
  keepRecentTurns = 2,
  trigger = 0.75,
  shrinkTo = 200,
}: {
  keepRecentTurns?: number;
  /** The part of the budget from which on it acts. */
  trigger?: number;
  /** Characters left of an old result, its marker included. */
  shrinkTo?: number;
} = {}): CompactionStrategy {
  checkWhole('keepRecentTurns', keepRecentTurns);
  checkWhole('shrinkTo', shrinkTo);
  checkFraction('trigger', trigger);
  return (input) => {
    const limit = trigger * input.budget;
    if (input.tokens < limit) return undefined;
    const old = oldUnits(input.units, recentStart(input.window, keepRecentTurns));
    const goal = limit * room;
    return choose(candidates({ input, old, goal, limit, shrinkTo }), { input, goal, limit });
  };
}

function candidates({
  input,
  old,
  goal,
  limit,
  shrinkTo,
}: {
  input: CompactionInput;
  old: readonly Unit[];
  goal: number;
  limit: number;
  shrinkTo: number;
}): readonly Candidate[] {
  const { window, units, budget } = input;
  const draft = new Draft(input);
  const found: Candidate[] = [];
  const add = (tier: string, run: (input: TierInput) => void, until: number) => {
    run({ draft, window, units, old, goal: until, shrinkTo });
    found.push({ tier, tokens: draft.tokens, changes: draft.changes });
    return draft.tokens < until;
  };
  for (const { tier, run } of mildTiers) if (add(tier, run, goal)) return found;
  const summary = input.canSummarize ? summarize(input, old, found[0]) : undefined;
  if (summary !== undefined) return [...found, summary];
  if (add('drop_steps', dropSteps, goal)) return found;
  if (draft.tokens > budget) add('shrink_recent', shrinkRecent, limit);
  return found;
}

/** Made from what is there now, not from what the milder tiers would leave of it. */
function summarize(
  input: CompactionInput,
  old: readonly Unit[],
  withoutRefusals: Candidate | undefined,
): Candidate | undefined {
  const replaced = old.filter(({ kind }) => kind === 'step' || kind === 'summary');
  if (withoutRefusals === undefined || replaced.every(({ kind }) => kind === 'summary')) {
    return undefined;
  }
  const draft = new Draft(input);
  const won = replaced.reduce((sum, unit) => sum + draft.costOf(unit), 0);
  const maxTokens = Math.floor(Math.min(largestSummary, input.budget / 10, won / 2));
  if (maxTokens < smallestSummary) return undefined;
  return {
    tier: 'summary',
    tokens: withoutRefusals.tokens - won + maxTokens,
    changes: withoutRefusals.changes,
    summarize: {
      entries: replaced.flatMap(({ positions }) =>
        positions.flatMap((position) => input.window[position]?.id ?? []),
      ),
      maxTokens,
    },
  };
}

function choose(
  found: readonly Candidate[],
  { input, goal, limit }: { input: CompactionInput; goal: number; limit: number },
): Candidate | undefined {
  const overflows = input.tokens > input.budget;
  const enough = overflows ? 0 : smallestWin * input.budget;
  const worthwhile = found.filter(({ tokens }) => {
    const won = input.tokens - tokens;
    return won > 0 && won >= enough;
  });
  for (const level of [goal, limit, input.budget]) {
    const mildest = worthwhile.find(({ tokens }) => tokens < level);
    if (mildest !== undefined) return mildest;
  }
  return worthwhile.at(-1);
}
