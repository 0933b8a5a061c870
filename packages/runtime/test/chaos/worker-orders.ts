import * as z from 'zod';

const point = z.enum([
  'before_intent',
  'after_intent',
  'after_effect',
  'before_append',
  'after_append',
]);
export const stopPoints = point.options;

/** What a worker process is started with. */
export const startSchema = z.object({
  store: z.string(),
  queue: z.string().optional(),
  ledger: z.string(),
  acks: z.string(),
  leaseTtl: z.number(),
  /** Milliseconds its clock is ahead of the machine's. */
  offset: z.number().default(0),
  /** False: the store goes by its own clock (PostgreSQL). */
  storeClock: z.boolean().default(true),
  /** Kills itself when it passes this point for the so-manieth time. */
  diesAt: z.object({ point, times: z.number() }).optional(),
  /** Waits there, once, until it is told to go on. */
  holdsAt: point.optional(),
  /** Only these agents; all if not said. */
  agents: z.array(z.string()).optional(),
});
export type WorkerStart = z.input<typeof startSchema>;

/** What a worker process is told. */
export const orderSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('go') }),
  z.object({ type: z.literal('stop') }),
  z.object({ type: z.literal('clock'), offset: z.number() }),
]);
export type Order = z.infer<typeof orderSchema>;

/** What it tells. */
export const newsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('held'), point, run: z.string() }),
  /** The store took a step of it, or did not. */
  z.object({ type: z.literal('refused'), run: z.string(), code: z.string() }),
  z.object({ type: z.literal('problem'), what: z.string(), message: z.string() }),
]);
export type News = z.infer<typeof newsSchema>;
