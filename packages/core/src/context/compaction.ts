import * as z from 'zod';
import { type Message, messageSchema } from '../messages/message.ts';
import type { ContextEntry } from './entry.ts';
import type { Unit } from './units.ts';

/**
 * One change to one entry of the window. Small, because it is stored in the log, and explicit,
 * because a log must fold to the same window with every later version of the strategies.
 *
 * - `replace`: same role, same calls or results by id and name, fewer tokens.
 * - `drop_reasoning`: the reply stays without its reasoning.
 * - `note`: the entry becomes a summary with this text; the rest of its unit goes.
 */
export const changeSchema = z.discriminatedUnion('action', [
  z.object({ entry: z.number(), action: z.literal('drop') }),
  z.object({ entry: z.number(), action: z.literal('replace'), message: messageSchema }),
  z.object({ entry: z.number(), action: z.literal('drop_reasoning') }),
  z.object({ entry: z.number(), action: z.literal('note'), text: z.string() }),
]);
export type Change = z.infer<typeof changeSchema>;

/** Entries that a summary should replace, and how many tokens it may take, its message included. */
export interface SummaryRequest {
  readonly entries: readonly number[];
  readonly maxTokens: number;
}

/**
 * Why a change was not made as asked:
 *
 * - `unknown`: no such entry in the window.
 * - `input`: what the caller said is never touched.
 * - `live`: the model has not seen it yet, or a call still waits.
 * - `shape`: the replacement has another role, or other calls or results.
 * - `grows`: the replacement is not smaller.
 * - `unit`: the entry went or stayed with the others it belongs to.
 */
export const correctionSchema = z.object({
  entry: z.number(),
  reason: z.enum(['unknown', 'input', 'live', 'shape', 'grows', 'unit']),
});
export type Correction = Readonly<z.infer<typeof correctionSchema>>;
export type CorrectionReason = Correction['reason'];

export interface CompactionPlan {
  /** How far it went, in the strategy's own words; for people who read the log. */
  readonly tier: string;
  readonly changes: readonly Change[];
  /** Applied later with `applySummary`, once the summariser has answered. */
  readonly summarize?: SummaryRequest;
  /** Where the strategy asked for something else than what is in the plan. */
  readonly corrections: readonly Correction[];
  readonly tokensBefore: number;
  /** With a summary of `maxTokens`, if one is asked for. */
  readonly tokensAfter: number;
}

export interface CompactionInput {
  /** The window as it is sent: reasoning that is not replayed is not in it. */
  readonly window: readonly ContextEntry[];
  /** What belongs together in the window. */
  readonly units: readonly Unit[];
  /** The whole request, calibrated, with system prompt and tool definitions. */
  readonly tokens: number;
  /** The part of it that no compaction can win: system prompt and tool definitions. */
  readonly fixedTokens: number;
  readonly budget: number;
  /** Calibrated. */
  readonly countTokens: (message: Message) => number;
  /** False too after a summariser failed, so that the next plan does without. */
  readonly canSummarize: boolean;
}

/**
 * What to take out of a window that gets too full, or `undefined` to leave it as it is. A pure
 * function. It need not be careful: `planCompaction` repairs or refuses what would break the
 * conversation.
 */
export type CompactionStrategy = (
  input: CompactionInput,
) => Pick<CompactionPlan, 'tier' | 'changes' | 'summarize'> | undefined;
