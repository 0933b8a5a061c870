import type { RestartPolicy } from './backend-options.ts';

/** Milliseconds before the restart with that number in a row, from 1: twice as long each time. */
export function restartDelay(policy: RestartPolicy, inRow: number): number {
  return Math.min(policy.maxDelay, policy.firstDelay * 2 ** (inRow - 1));
}
