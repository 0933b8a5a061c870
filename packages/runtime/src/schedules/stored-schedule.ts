import { ForgeError, isJsonObject, type JsonObject } from '@forge/core';
import type { ScheduleRow } from '@forge/store';
import * as z from 'zod';
import { scheduleSpecSchema } from './schedule-spec.ts';

const moment = z.int();

/** A due time that waits for the firing before it. */
const waitingSchema = z.object({
  dueAt: moment,
  /** Due times it also stands for. */
  missed: z.object({ count: z.int(), isMore: z.boolean(), since: moment }).optional(),
});

/** A firing that may still be under way: a run it started, or a message to its conversation. */
const recentSchema = z.object({
  kind: z.enum(['run', 'message']),
  runId: z.string(),
  dueAt: moment,
  at: moment,
});

/** What a run had used when the schedule began to pay for it. */
const accountSchema = z.object({
  runId: z.string(),
  since: moment,
  tokens: z.number(),
  cost: z.number(),
});

const spentSchema = z.object({
  /** The hour, day, week or month it is of. */
  window: z.string(),
  firings: z.int(),
  /** Of runs that have ended; `accounts` are those that may still spend. */
  tokens: z.number(),
  cost: z.number(),
  accounts: z.array(accountSchema),
});

/** How far a schedule has come. Written with each firing, in the same transaction. */
const progressSchema = z.object({
  /** The next time by the rule; undefined when it has none. */
  nextDue: moment.optional(),
  /** Firings by the rule. */
  count: z.int().default(0),
  waiting: z.array(waitingSchema).default([]),
  recent: z.array(recentSchema).default([]),
  spent: spentSchema.optional(),
  endedAt: moment.optional(),
});

/** What the column `spec` of a schedule holds. */
const storedScheduleSchema = z.object({
  v: z.literal(1),
  spec: scheduleSpecSchema,
  progress: progressSchema,
  /** The conversation it was made in, if an agent made it. */
  origin: z.string().optional(),
  /** 0 if a person made it, else one more than the schedule whose run made it. */
  generation: z.int().default(0),
});

export type StoredSchedule = z.infer<typeof storedScheduleSchema>;
export type ScheduleProgress = z.infer<typeof progressSchema>;
export type Waiting = z.infer<typeof waitingSchema>;
export type Recent = z.infer<typeof recentSchema>;
export type Account = z.infer<typeof accountSchema>;
export type Spent = z.infer<typeof spentSchema>;

/** `invalid_options` if it is no schedule of this version. */
export function readStored({ id, spec }: Pick<ScheduleRow, 'id' | 'spec'>): StoredSchedule {
  const read = storedScheduleSchema.safeParse(spec);
  if (read.success) return read.data;
  throw new ForgeError(
    'invalid_options',
    `Schedule "${id}" cannot be read: ${z.prettifyError(read.error)}. Cancel it and make it again.`,
  );
}

/** Plain JSON, without the fields that are undefined. */
export function writeStored(stored: StoredSchedule): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(stored));
  if (isJsonObject(plain)) return plain;
  throw new ForgeError('invalid_options', 'A schedule is an object.');
}
