import * as z from 'zod';
import { lessonSchema } from '../learn/lesson.ts';
import { outcomes, rungs, statusClasses, wires } from './labels.ts';

const count = z.number().min(0);
const counts = z.record(z.string(), count);

/** What was counted, of one model or of all. */
export const tallySchema = z.object({
  requests: count,
  outcomes: z.record(z.enum(outcomes), count),
  /** By the first digit of the status. */
  statuses: z.record(z.enum(statusClasses), count),
  streams: count,
  /** Replies asked for in that way, and those of them that were taken. */
  rungs: z.record(z.enum(rungs), z.object({ tries: count, wins: count })),
  /** Requests that needed more than one reply: the last one was right, or none was. */
  retries: z.object({ won: count, lost: count }),
  /** Requests rescued, by the format the calls were found in. */
  formats: counts,
  /** What was mended, by kind. */
  mended: counts,
  /** What was wrong with refused replies, by kind. */
  problems: counts,
  /** Errors of the backend, by kind. */
  errors: counts,
  tokens: z.object({ input: count, output: count }),
  /** Milliseconds all requests took, and how many took at most `buckets[n]` of the report's bounds. */
  took: z.object({ sum: count, buckets: z.array(count).readonly() }),
});
export type Tally = z.infer<typeof tallySchema>;

/** One request of late that was not clean. Nothing of what was said in it. */
export const recentSchema = z.object({
  at: z.number(),
  took: count,
  model: z.string(),
  wire: z.enum(wires).optional(),
  outcome: z.enum(outcomes),
  status: z.number(),
  attempts: z
    .array(
      z.object({
        rung: z.enum(rungs),
        problems: z.array(z.string()).readonly(),
        tone: z.number().optional(),
        format: z.string().optional(),
        mended: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
  error: z.string().optional(),
});
export type Recent = z.infer<typeof recentSchema>;

/** What `/forge/usage` answers, and the page at `/forge/` shows. Times are milliseconds. */
export const usageReportSchema = z.object({
  v: z.literal(1),
  startedAt: z.number(),
  /** How long it has been up. */
  uptime: count,
  /** Requests that are not over. */
  inFlight: count,
  /** Upper bounds of the buckets in `took`; the last bucket is for what took longer. */
  tookBounds: z.array(z.number()).readonly(),
  total: tallySchema,
  /** At most 200, and `other` for the rest; `(none)` for requests that named no model. */
  models: z.record(z.string(), tallySchema),
  /** The last 100, newest first. */
  recent: z.array(recentSchema).readonly(),
  /** Added by whoever serves it: where requests go. */
  backend: z.string().optional(),
  /** Added by whoever serves it, where it learns. */
  lessons: z.record(z.string(), lessonSchema).optional(),
});
export type UsageReport = z.infer<typeof usageReportSchema>;
