import type { RunTotals } from '../projections/run-totals.ts';

/** The columns of `runs` that say what its log adds up to. */
export function totalsColumns(totals: RunTotals) {
  return {
    turns: totals.turns,
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    cached_input_tokens: totals.cachedInputTokens ?? null,
    cache_write_tokens: totals.cacheWriteTokens ?? null,
    reasoning_tokens: totals.reasoningTokens ?? null,
    cost_nano: totals.costNano,
    reason: totals.end?.reason ?? null,
    explanation: totals.end?.explanation ?? null,
  };
}
