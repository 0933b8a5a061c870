export interface ReconnectPolicy {
  /** Milliseconds before the first try; each further wait is twice as long. */
  readonly first: number;
  readonly longest: number;
  /** Tries in a row before it waits for a call or a person. */
  readonly attempts: number;
  /** A connection that held for this many milliseconds starts the count over. */
  readonly steadyAfter: number;
}

export const defaultReconnect: ReconnectPolicy = {
  first: 1_000,
  longest: 60_000,
  attempts: 12,
  steadyAfter: 60_000,
};

/**
 * Milliseconds before the next try after that many failures in a row, or undefined for none. Half
 * of it is chance, so that many clients of one server do not come back in step.
 */
export function reconnectDelay(
  policy: ReconnectPolicy,
  { failures, random }: { readonly failures: number; readonly random: () => number },
): number | undefined {
  if (failures > policy.attempts) return undefined;
  const whole = Math.min(policy.longest, policy.first * 2 ** Math.max(0, failures - 1));
  return Math.round(whole / 2 + (whole / 2) * random());
}
