import type { ModelError } from '../wire/model-error.ts';
import type { RetryPolicy } from './retry-policy.ts';

/**
 * How many milliseconds to wait before the next try, or undefined when there is to be none.
 * Full jitter: the wait is drawn evenly from zero to a bound that doubles, so that many clients
 * cut off at once do not come back at once. A wait the server asked for is the least; jitter is
 * added to it for the same reason.
 */
export function nextDelay({
  policy,
  error,
  attempt,
  elapsed,
  random,
}: {
  readonly policy: RetryPolicy;
  readonly error: ModelError;
  /** How many tries there were, from 1. */
  readonly attempt: number;
  /** Milliseconds since the first try began. */
  readonly elapsed: number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}): number | undefined {
  if (attempt >= Math.min(policy.attempts, policy.attemptsByKind[error.kind])) return undefined;
  const bound = Math.min(policy.maxDelay, policy.firstDelay * 2 ** (attempt - 1));
  const jitter = Math.floor(random() * (bound + 1));
  const asked = error.retryAfter;
  if (asked !== undefined && asked > policy.maxRetryAfter) return undefined;
  const delay = asked === undefined ? jitter : asked + Math.min(jitter, policy.firstDelay);
  return elapsed + delay > policy.maxElapsed ? undefined : delay;
}
