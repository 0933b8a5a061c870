import { setTimeout as pause } from 'node:timers/promises';
import { failureOf } from './failure.ts';

const firstDelay = 20;
const longestDelay = 1_000;

export interface PatienceOptions {
  /** Milliseconds to wait in all between attempts, before the failure is told. */
  readonly total: number;
  /** Ends the waiting: the store is being closed. */
  readonly signal: AbortSignal;
}

/**
 * Tries again while the server is away, and after conflicts. Each attempt is bounded by the timeouts
 * of its connection, the waiting between them by `total`. The last failure is thrown as it came.
 */
export async function withPatience<T>(
  { total, signal }: PatienceOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  let waited = 0;
  for (let delay = firstDelay; ; delay = Math.min(delay * 2, longestDelay)) {
    try {
      return await attempt();
    } catch (error) {
      if (failureOf(error) === 'fault' || waited >= total || signal.aborted) throw error;
      await pause(delay, undefined, { signal }).catch(() => {
        throw error;
      });
      waited += delay;
    }
  }
}
