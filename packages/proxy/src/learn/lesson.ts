import * as z from 'zod';

const count = z.int().min(0);

/** How often something was tried, and how often it was right. */
export const trialSchema = z.object({ tries: count, wins: count });
export type Trial = Readonly<z.infer<typeof trialSchema>>;

/** How the tools reach the model: through the server's own support, or described in the prompt. */
export const modes = ['native', 'prompt'] as const;
export type Mode = (typeof modes)[number];

/** A temperature as it is counted: an upper bound, or that none was asked for. */
export const temperatureBuckets = ['unset', '0', '0.3', '0.7', '1', 'more'] as const;
export type TemperatureBucket = (typeof temperatureBuckets)[number];

/**
 * What happened with one model. Trials are of late: they are halved when they grow long, so that a
 * server that was mended is noticed. Names that came from a model are bounded in number.
 */
export const lessonSchema = z.object({
  /** Guarded requests, ever. */
  requests: count,
  /** When the last one came, in milliseconds since 1970. */
  at: z.number(),
  /** Formats its calls were rescued from. */
  formats: z.record(z.string(), count),
  /** By problem and then by tone: whether the reply after the nudge was right. */
  nudges: z.record(z.string(), z.record(z.string(), trialSchema)),
  /** Whether a reply asked for in that way was right. */
  rungs: z.record(z.string(), trialSchema),
  /** Whether the first reply was right. */
  temperatures: z.partialRecord(z.enum(temperatureBuckets), trialSchema),
  /** Whether a reply was well formed, whatever it said. */
  modes: z.partialRecord(z.enum(modes), trialSchema),
});
export type Lesson = Readonly<z.infer<typeof lessonSchema>>;

/** What to do for the next request of a model. */
export interface Advice {
  readonly mode: Mode;
  /** Refused replies after which the next is held to a schema; undefined for what is configured. */
  readonly constrainAfter: number | undefined;
}
