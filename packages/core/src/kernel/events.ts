import * as z from 'zod';
import { changeSchema, correctionSchema } from '../context/compaction.ts';
import { ForgeError } from '../errors.ts';
import type { Problem } from '../guardrails/problem.ts';
import { checkedCallSchema, mendedSchema } from '../guardrails/verdict.ts';
import type { JsonObject } from '../json.ts';
import {
  assistantMessageSchema,
  imagePartSchema,
  messageSchema,
  textPartSchema,
  userMessageSchema,
} from '../messages/message.ts';
import { personQuestionSchema } from '../tools/ask-person.ts';
import { outcomeSchema } from './outcome.ts';

const problemSchema = z.custom<Problem>(
  (value) => typeof value === 'object' && value !== null && 'kind' in value,
);
const jsonObject = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null);

const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
});

const replySchema = z.object({
  content: assistantMessageSchema.shape.content.readonly(),
  finish: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'other']),
  usage: usageSchema.optional(),
  cost: z.number().optional(),
});

const contentSchema = z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema]));

/**
 * How a tool call ended. `not_found`: it worked and found nothing. `skipped`: a call it had to wait
 * for failed. `expired`: nobody decided on it in time, which is no denial.
 */
export const toolOutcomeSchema = z.enum([
  'ok',
  'error',
  'not_found',
  'denied',
  'skipped',
  'cancelled',
  'expired',
]);

export const endReasonSchema = z.enum([
  'answered',
  'terminal_tool',
  'cancelled',
  'retries_exhausted',
  'steps_not_done',
  'prerequisites_not_met',
  'loop',
  'content_filter',
  'tool_errors',
  'turn_limit',
  'token_limit',
  'cost_limit',
  'time_limit',
  'context_overflow',
  'model_failed',
  'program_failed',
]);

/**
 * What can happen to a run. Facts in the past tense; a shape once released is never reused
 * for something else.
 */
export const happeningSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run.started'),
    agent: z.string(),
    /** Messages from before this run. */
    history: z.array(messageSchema),
    input: z.array(userMessageSchema),
    /** Tokens the context may hold. */
    budget: z.number(),
    budgetSource: z.string(),
    reasoningReplay: z.enum(['none', 'last', 'full']),
  }),
  /** Somebody goes on with a log that was left while effects were under way. */
  z.object({
    type: z.literal('run.resumed'),
    /** Running calls that are safe to run again. */
    again: z.array(z.string()).readonly(),
    /** People that were asked still are. */
    keepsApprovals: z.boolean().optional(),
  }),
  /** Nothing is begun until somebody says to go on. */
  z.object({
    type: z.literal('run.paused'),
    by: z.string().optional(),
    reason: z.string().optional(),
  }),
  z.object({ type: z.literal('run.continued'), by: z.string().optional() }),
  z.object({ type: z.literal('input.received'), messages: z.array(userMessageSchema) }),
  z.object({
    type: z.literal('context.compacted'),
    tier: z.string(),
    changes: z.array(changeSchema).readonly(),
    /** Where the strategy asked for something else than what was done. */
    corrections: z.array(correctionSchema).readonly(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
  }),
  z.object({ type: z.literal('context.summary_requested'), replaces: z.array(z.number()) }),
  z.object({ type: z.literal('context.summary_failed'), error: z.string() }),
  z.object({
    type: z.literal('context.summarized'),
    replaces: z.array(z.number()),
    text: z.string(),
  }),
  z.object({ type: z.literal('context.warned'), level: z.number(), text: z.string() }),
  z.object({
    type: z.literal('model.requested'),
    turn: z.number(),
    messages: z.number(),
    estimatedTokens: z.number(),
    /** The id of the model that is asked. Older logs do not say. */
    model: z.string().optional(),
    /** Why that one, where there were several; with the first request of a run. */
    chosen: jsonObject.optional(),
  }),
  z.object({
    type: z.literal('model.replied'),
    turn: z.number(),
    reply: replySchema,
    /** The id of the model that answered. Older logs do not say. */
    model: z.string().optional(),
  }),
  z.object({ type: z.literal('model.failed'), turn: z.number(), error: z.string() }),
  z.object({
    type: z.literal('reply.answered'),
    turn: z.number(),
    message: assistantMessageSchema,
    text: z.string(),
  }),
  z.object({
    type: z.literal('reply.accepted'),
    turn: z.number(),
    message: assistantMessageSchema,
    calls: z.array(checkedCallSchema).readonly(),
    source: z.enum(['native', 'rescued', 'text']),
    format: z.string().optional(),
    mended: z.array(mendedSchema).readonly(),
  }),
  z.object({
    type: z.literal('reply.refused'),
    turn: z.number(),
    kind: z.enum(['retry', 'blocked']),
    drain: z.enum(['retries', 'premature', 'prerequisites', 'repeats']),
    tone: z.number(),
    problems: z.array(problemSchema).readonly(),
    message: assistantMessageSchema,
    nudges: z.array(messageSchema).readonly(),
  }),
  z.object({
    type: z.literal('approval.requested'),
    callId: z.string(),
    name: z.string(),
    args: jsonObject,
  }),
  z.object({
    type: z.literal('approval.decided'),
    callId: z.string(),
    approved: z.boolean(),
    /** Arguments to run instead of the proposed ones. */
    args: jsonObject.optional(),
    by: z.string().optional(),
    reason: z.string().optional(),
    /** Where it was decided: a terminal, a chat, a rule by its id. */
    via: z.string().optional(),
  }),
  z.object({ type: z.literal('approval.expired'), callId: z.string() }),
  /** The run goes on without these; their results come late, in their place. */
  z.object({
    type: z.literal('calls.deferred'),
    callIds: z.array(z.string()).readonly(),
    reason: z.enum(['slow', 'waiting']),
  }),
  z.object({
    type: z.literal('tool.started'),
    callId: z.string(),
    name: z.string(),
    args: jsonObject,
    idempotencyKey: z.string(),
  }),
  /** A tool asks a person something while it works. */
  z.object({
    type: z.literal('question.asked'),
    callId: z.string(),
    name: z.string(),
    ...personQuestionSchema.shape,
  }),
  z.object({
    type: z.literal('question.closed'),
    callId: z.string(),
    /** The number of the event that asked. */
    asked: z.number(),
    /** `expired`: nobody answered in time. `withdrawn`: nobody waits for the answer any more. */
    outcome: z.enum(['accepted', 'declined', 'expired', 'withdrawn']),
    answer: z.json().optional(),
    by: z.string().optional(),
    via: z.string().optional(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('tool.finished'),
    callId: z.string(),
    name: z.string(),
    outcome: toolOutcomeSchema,
    content: contentSchema,
  }),
  z.object({
    type: z.literal('run.finished'),
    status: z.enum(['completed', 'failed', 'cancelled']),
    reason: endReasonSchema,
    explanation: z.string(),
  }),
  /** How it came out, for whoever learns from it. Also after the end: what a person thinks of it. */
  z.object({ type: z.literal('outcome.recorded'), ...outcomeSchema.shape }),
]);

const stampSchema = z.object({
  v: z.literal(1),
  runId: z.string(),
  /** Dense, from 1. */
  seq: z.number().int().positive(),
  /** Milliseconds since 1970. */
  at: z.number(),
});

export const eventSchema = z.intersection(stampSchema, happeningSchema);

/** Something that happened, before it is numbered and dated. */
export type Happening = z.infer<typeof happeningSchema>;
/** One row of the log. */
export type RunEvent = z.infer<typeof stampSchema> & Happening;
export type ToolOutcome = z.infer<typeof toolOutcomeSchema>;
export type EndReason = z.infer<typeof endReasonSchema>;

/** An event from outside (a file, a database), checked. */
export function parseEvent(value: unknown): RunEvent {
  const result = eventSchema.safeParse(value);
  if (result.success) return result.data;
  throw new ForgeError(
    'invalid_event',
    `Not an event of this version: ${z.prettifyError(result.error)}`,
  );
}
