import * as z from 'zod';
import { isZone, whyNotCron } from './cron-rule.ts';

/** Milliseconds since 1970. */
const moment = z.int().nonnegative();

/**
 * When it is due. `every` is anchored: due times are `from`, `from + every`, … whatever the clock
 * did meanwhile. `cron` has five fields, or six with seconds first, and follows the wall clock of
 * the schedule's zone: use it, not `every`, for what is due at an hour of the day.
 */
export const ruleSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('once'), at: moment }),
  z.object({ type: z.literal('every'), every: z.int().min(1_000), from: moment }),
  z.object({
    type: z.literal('cron'),
    cron: z.string().check((context) => {
      const why = whyNotCron(context.value);
      if (why === undefined) return;
      context.issues.push({ code: 'custom', input: context.value, message: why });
    }),
  }),
]);

/**
 * What becomes of due times nobody was there for. `once`: the last of them fires and says how many
 * there were. `skip`: none fires. `all`: each fires, the latest `cap` of them.
 */
const missedSchema = z.object({
  policy: z.enum(['once', 'skip', 'all']).default('once'),
  cap: z.int().min(1).max(100).default(10),
});

/**
 * What becomes of a due time while the firing before it is still under way: left out, kept (one,
 * or up to 100) until that is done, in its place, or beside it.
 */
const overlapSchema = z.enum(['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'allow']);

/**
 * The most it may do in an hour, day, week or month of its zone. Tokens and cost are those of the
 * runs it started and of their children; in a conversation, of all that was said there since the
 * first firing of that time.
 */
const budgetSchema = z
  .object({
    per: z.enum(['hour', 'day', 'week', 'month']),
    maxFirings: z.int().positive().optional(),
    maxTokens: z.int().positive().optional(),
    maxCost: z.number().positive().optional(),
  })
  .refine(({ maxFirings, maxTokens, maxCost }) => maxFirings ?? maxTokens ?? maxCost, {
    message: 'give at least one of maxFirings, maxTokens and maxCost',
  });

/** What a schedule is, in the words it is stored in. */
export const scheduleSpecSchema = z.object({
  name: z.string().trim().min(1).max(200).optional(),
  rule: ruleSchema,
  /** IANA, such as Europe/Berlin: for cron, for budgets, and for times told to people. */
  zone: z.string().refine(isZone, { message: 'not an IANA time zone, such as Europe/Berlin' }),
  /** What the agent is told when it is due. */
  input: z.string().trim().min(1).max(20_000),
  /** Of the runs it starts, such as the repository they work on. */
  labels: z.record(z.string().min(1).max(200), z.string().max(2_000)).optional(),
  missed: missedSchema.prefault({}),
  overlap: overlapSchema.default('skip'),
  /** Milliseconds a firing that waits for a person counts as under way. Default a day. */
  patience: z.int().nonnegative().default(86_400_000),
  budget: budgetSchema.optional(),
  /** Not due after this moment. */
  until: moment.optional(),
  /** Fires this often, then ends. */
  maxCount: z.int().positive().optional(),
});

export type ScheduleRule = z.infer<typeof ruleSchema>;
export type ScheduleSpec = z.infer<typeof scheduleSpecSchema>;
export type ScheduleBudget = z.infer<typeof budgetSchema>;
export type OverlapPolicy = z.infer<typeof overlapSchema>;
export type MissedPolicy = z.infer<typeof missedSchema>;

/** What decides when it is due. */
export type Timetable = Pick<ScheduleSpec, 'rule' | 'zone' | 'until'>;
