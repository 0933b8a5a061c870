import type { Message } from '../messages/message.ts';
import type { ToolSpec } from '../models.ts';
import { applyCompaction } from './apply-compaction.ts';
import { type Calibration, uncalibrated } from './calibration.ts';
import type { CompactionInput, CompactionPlan, CompactionStrategy } from './compaction.ts';
import { type EnforcedPlan, enforceInvariants } from './enforce-invariants.ts';
import type { ContextEntry } from './entry.ts';
import { estimateMessageTokens, estimateToolTokens } from './estimate-tokens.ts';
import { type RenderedContext, type RenderInput, renderContext } from './render-context.ts';
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
  | {
      readonly type: 'fits';
      readonly tokens: number;
      readonly budget: number;
      /** What was measured, to be sent. */
      readonly rendered: RenderedContext;
    }
  | { readonly type: 'compact'; readonly plan: CompactionPlan }
  | {
      readonly type: 'too_large';
      readonly tokens: number;
      readonly budget: number;
      /** System prompt and tool definitions. */
      readonly fixedTokens: number;
      /** What the caller said. */
      readonly inputTokens: number;
      readonly rendered: RenderedContext;
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
  const calibrated = (rendered: RenderedContext) =>
    Math.ceil((rendered.tokens + estimateToolTokens(tools)) * calibration.ratio);
  const measure = (entries: readonly ContextEntry[]) =>
    calibrated(renderContext({ ...input, window: entries }));

  const rendered = renderContext(input);
  const tokens = calibrated(rendered);
  const fixedTokens = measure([]);
  const sent = once(() => sentWindow(window, input.reasoningReplay));
  const units = once(() => groupUnits(sent(), input.pendingCalls));
  // Nearly always the strategy looks at the figures alone.
  const facts: CompactionInput = {
    get window() {
      return sent();
    },
    get units() {
      return units();
    },
    tokens,
    fixedTokens,
    budget,
    countTokens,
    canSummarize,
  };

  const proposal = input.strategy(facts);
  if (proposal !== undefined) {
    const safe = enforceInvariants(facts, proposal);
    const tokensAfter = measure(windowAfter(window, safe)) + (safe.summarize?.maxTokens ?? 0);
    if (tokensAfter < tokens) {
      const plan = { tier: proposal.tier, ...safe, tokensBefore: tokens, tokensAfter };
      return { type: 'compact', plan };
    }
  }
  if (tokens <= budget) return { type: 'fits', tokens, budget, rendered };
  const inputs = window.filter(({ kind }) => kind === 'input');
  return {
    type: 'too_large',
    tokens,
    budget,
    fixedTokens,
    inputTokens: measure(inputs) - fixedTokens,
    rendered,
  };
}

function windowAfter(window: readonly ContextEntry[], plan: EnforcedPlan): readonly ContextEntry[] {
  const summarized = new Set(plan.summarize?.entries);
  return applyCompaction(window, plan).filter(({ id }) => !summarized.has(id));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
