import type { Message } from '../messages/message.ts';
import type { ToolSpec } from '../models.ts';
import { applyCompaction } from './apply-compaction.ts';
import { type Calibration, uncalibrated } from './calibration.ts';
import type { CompactionPlan, CompactionStrategy } from './compaction.ts';
import { type EnforcedPlan, enforceInvariants } from './enforce-invariants.ts';
import type { ContextEntry } from './entry.ts';
import { estimateMessageTokens, estimateToolTokens } from './estimate-tokens.ts';
import { type RenderInput, renderContext } from './render-context.ts';
import { sentWindow } from './sent-window.ts';
import { groupUnits } from './units.ts';

export interface PlanInput extends RenderInput {
  readonly tools: readonly ToolSpec[];
  readonly budget: number;
  readonly strategy: CompactionStrategy;
  readonly calibration?: Calibration;
  /** Whether a summariser is there and has not just failed. */
  readonly canSummarize?: boolean;
}

/**
 * - `fits`: send it. Nothing needs to go, or what could go is not worth it.
 * - `compact`: apply the plan and ask again. Every plan takes tokens away, so this ends.
 * - `too_large`: over budget with nothing left to take. Sending it would fail, or worse, a backend
 *   would cut it silently.
 */
export type ContextDecision =
  | { readonly type: 'fits'; readonly tokens: number; readonly budget: number }
  | { readonly type: 'compact'; readonly plan: CompactionPlan }
  | {
      readonly type: 'too_large';
      readonly tokens: number;
      readonly budget: number;
      /** System prompt and tool definitions. */
      readonly fixedTokens: number;
      /** What the caller said. */
      readonly inputTokens: number;
    };

/**
 * Asked before each model call: may this window be sent? Counts what is really in it, a result
 * that came a moment ago included, and holds whatever the strategy returns to the rules of
 * {@link enforceInvariants}. A plan that would not make the request smaller is not returned. All
 * figures are calibrated. If a plan asks for a summary, carry that out before asking again.
 */
export function planCompaction(input: PlanInput): ContextDecision {
  const { window, budget, tools, calibration = uncalibrated, canSummarize = false } = input;
  const countTokens = (message: Message) => estimateMessageTokens(message) * calibration.ratio;
  const measure = (entries: readonly ContextEntry[]) => {
    const estimated = renderContext({ ...input, window: entries }).tokens;
    return Math.ceil((estimated + estimateToolTokens(tools)) * calibration.ratio);
  };

  const tokens = measure(window);
  const fixedTokens = measure([]);
  const sent = sentWindow(window, input.reasoningReplay);
  const units = groupUnits(sent, input.pendingCalls);
  const facts = { window: sent, units, tokens, fixedTokens, budget, countTokens, canSummarize };

  const proposal = input.strategy(facts);
  if (proposal !== undefined) {
    const safe = enforceInvariants(facts, proposal);
    const tokensAfter = measure(windowAfter(window, safe)) + (safe.summarize?.maxTokens ?? 0);
    if (tokensAfter < tokens) {
      const plan = { tier: proposal.tier, ...safe, tokensBefore: tokens, tokensAfter };
      return { type: 'compact', plan };
    }
  }
  if (tokens <= budget) return { type: 'fits', tokens, budget };
  const inputs = window.filter(({ kind }) => kind === 'input');
  return {
    type: 'too_large',
    tokens,
    budget,
    fixedTokens,
    inputTokens: measure(inputs) - fixedTokens,
  };
}

function windowAfter(window: readonly ContextEntry[], plan: EnforcedPlan): readonly ContextEntry[] {
  const summarized = new Set(plan.summarize?.entries);
  return applyCompaction(window, plan).filter(({ id }) => !summarized.has(id));
}
