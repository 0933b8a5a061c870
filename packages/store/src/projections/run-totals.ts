import type { Happening } from '@forge/core';
import { asText } from '../as-text.ts';
import { usageIn, whole } from './counts.ts';

/** What the row of a run says of its log. Undefined counts were never reported. */
export interface RunTotals {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number | undefined;
  readonly cacheWriteTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  readonly costNano: number;
  /** Of the last `run.finished`. */
  readonly end: { readonly reason: string; readonly explanation: string } | undefined;
}

export const noTotals: RunTotals = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: undefined,
  cacheWriteTokens: undefined,
  reasoningTokens: undefined,
  costNano: 0,
  end: undefined,
};

/** What these happenings add. */
export function runTotals(happenings: readonly Happening[]): RunTotals {
  let totals = noTotals;
  for (const happening of happenings) totals = addTotals(totals, totalsOf(happening));
  return totals;
}

/** Grouping does not matter: adding the sums of steps equals adding each happening. */
export function addTotals(a: RunTotals, b: RunTotals): RunTotals {
  if (b === noTotals) return a;
  if (a === noTotals) return b;
  return {
    turns: a.turns + b.turns,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: addKnown(a.cachedInputTokens, b.cachedInputTokens),
    cacheWriteTokens: addKnown(a.cacheWriteTokens, b.cacheWriteTokens),
    reasoningTokens: addKnown(a.reasoningTokens, b.reasoningTokens),
    costNano: a.costNano + b.costNano,
    end: b.end ?? a.end,
  };
}

function totalsOf(happening: Happening): RunTotals {
  if (happening.type === 'model.requested') return { ...noTotals, turns: 1 };
  if (happening.type === 'run.finished') {
    const explanation = asText(happening.explanation);
    return { ...noTotals, end: { reason: happening.reason, explanation } };
  }
  const spent = usageIn(happening);
  if (spent === undefined) return noTotals;
  const { usage, costNano } = spent;
  return {
    ...noTotals,
    inputTokens: whole(usage?.inputTokens),
    outputTokens: whole(usage?.outputTokens),
    cachedInputTokens: known(usage?.cachedInputTokens),
    cacheWriteTokens: known(usage?.cacheWriteTokens),
    reasoningTokens: known(usage?.reasoningTokens),
    costNano,
  };
}

function known(count: number | undefined): number | undefined {
  return count === undefined ? undefined : whole(count);
}

function addKnown(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0);
}
