import { z } from 'zod';
import type { PublishOptions } from './queue.ts';

/** One wake-up as every make carries it. */
export interface WakeUp {
  readonly runId: string;
  readonly priority: number;
  /** Milliseconds; 0 is at once. */
  readonly delay: number;
  /** Wake-ups with the same key are one. */
  readonly key: string;
}

/** What a server holds of it: others can write there too. */
export const wakePayload = z.object({ runId: z.string() });

/** Both signs fit what every make can hold. */
const highestPriority = 1_000_000;
/** The longest a timer of Node can wait. */
const longestDelay = 2 ** 31 - 1;
/** Delayed wake-ups of a run that are due this near to each other, in milliseconds, are one. */
const step = 100;

/**
 * A wake-up within the limits of every make. One for now never waits behind one for later: they
 * have different keys, and so have those for clearly different times.
 */
export function toWakeUp(runId: string, options: PublishOptions, now: number): WakeUp {
  const priority = within(options.priority, -highestPriority, highestPriority);
  const delay = within(options.delay, 0, longestDelay);
  if (delay === 0) return { runId, priority, delay, key: `@${runId}` };
  const due = Math.ceil((now + delay) / step) * step;
  return { runId, priority, delay: Math.min(due - now, longestDelay), key: `${due}@${runId}` };
}

function within(value: number | undefined, least: number, most: number): number {
  const whole = Math.round(value ?? 0);
  return Number.isNaN(whole) ? 0 : Math.min(most, Math.max(least, whole));
}
