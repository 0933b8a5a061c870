import type { Progress } from '@forge/core';
import type { WireErrorKind } from '@forge/models';
import * as z from 'zod';
import { ruleSchema } from '../learn/rule.ts';
import type { ProxyOptions } from '../options.ts';
import type { ProblemName, ProxyEvent } from '../proxy-event.ts';
import { outcomes, rungs, wires } from '../stats/labels.ts';

const text = z.string();
const count = z.number().min(0);
const id = z.int().min(0);
const key = text.max(256);
const isText = (value: unknown) => typeof value === 'string';

const attempt = z.object({
  rung: z.enum(rungs),
  problems: z.array(z.custom<ProblemName>(isText)).readonly(),
  tone: z.literal([1, 2, 3]).optional(),
  format: text.optional(),
  mended: z.array(text).readonly(),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cachedInputTokens: count.optional(),
      cacheWriteTokens: count.optional(),
      reasoningTokens: count.optional(),
    })
    .optional(),
});

const event = z.object({
  at: z.number(),
  took: z.number(),
  method: text,
  path: text,
  wire: z.enum(wires).optional(),
  model: text.optional(),
  stream: z.boolean().optional(),
  tools: count.optional(),
  status: z.number(),
  outcome: z.enum(outcomes),
  attempts: z.array(attempt).readonly(),
  temperature: z.number().optional(),
  session: text.optional(),
  error: z.object({ kind: z.custom<WireErrorKind>(isText), message: text }).optional(),
}) satisfies z.ZodType<ProxyEvent>;

export const progressSchema = z.object({
  retries: count,
  premature: count,
  prerequisites: count,
  repeats: count,
  toolErrors: count,
  facts: z.array(text).readonly(),
  recent: z.array(z.object({ calls: text, results: text })).readonly(),
}) satisfies z.ZodType<Progress>;

/** Options as they travel: functions stay in the primary. */
export type WorkerOptions = Omit<ProxyOptions, 'onEvent' | 'onBug' | 'onNotice' | 'now'>;
const options = z.custom<WorkerOptions>(
  (value) => typeof value === 'object' && value !== null && 'backend' in value,
);

/** Why something asked for was not given. */
const refusal = z.enum(['cancelled', 'slot_stopped', 'overloaded', 'failed']);
export type RefusalCode = z.infer<typeof refusal>;

/** From a worker to the primary. What has an `id` is answered with it. */
export const fromWorkerSchema = z.discriminatedUnion('type', [
  /** It listens to messages. */
  z.object({ type: z.literal('hello') }),
  /** It takes requests. */
  z.object({ type: z.literal('listening'), url: text, port: z.int() }),
  /** It cannot take requests, and ends. */
  z.object({ type: z.literal('failed'), message: text }),
  /** The proxy itself failed at a request; the worker goes on. */
  z.object({ type: z.literal('bug'), message: text, stack: text.optional() }),
  z.object({ type: z.literal('acquire'), id, priority: z.number() }),
  z.object({ type: z.literal('boundary'), id, hold: id }),
  /** The slot is given up, or no longer waited for; `hold` is the id of the acquire. Not answered. */
  z.object({ type: z.literal('release'), hold: id }),
  z.object({ type: z.literal('load'), id, key }),
  z.object({ type: z.literal('save'), key, progress: progressSchema }),
  z.object({
    type: z.literal('events'),
    events: z.array(event).readonly(),
    inFlight: count,
    /** Events that found no room while the primary was busy. */
    dropped: count,
  }),
  z.object({ type: z.literal('ask'), id, what: z.enum(['report', 'metrics', 'lessons']) }),
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;

/** From the primary to a worker. */
export const fromPrimarySchema = z.discriminatedUnion('type', [
  /** The first message: it holds keys, which have no place among arguments or in the environment. */
  z.object({
    type: z.literal('start'),
    options,
    rules: z.record(text, ruleSchema),
    /** Milliseconds its requests get to finish when it is told to end by a signal. */
    grace: count,
  }),
  z.object({ type: z.literal('done'), id, value: z.unknown().optional() }),
  z.object({ type: z.literal('refused'), id, code: refusal, message: text }),
  z.object({ type: z.literal('rule'), model: text, rule: ruleSchema }),
  z.object({ type: z.literal('stop'), grace: count }),
]);
export type FromPrimary = z.infer<typeof fromPrimarySchema>;
