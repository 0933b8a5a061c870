import { headerOf, plainNumber } from '../shared/retry-after.ts';

/**
 * How long until a rate limit lets us in again, in milliseconds, for servers of this wire that do
 * not send `retry-after`: of the resets, the one that has nothing left counts, else that of the
 * tokens.
 */
export function readRateLimitReset(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const get = (name: string) => headerOf(headers, name);
  return (
    duration(get(`x-ratelimit-reset-${exhausted(get)}`)) ??
    duration(get('x-ratelimit-reset-requests')) ??
    untilStamp(get('x-ratelimit-reset'), now)
  );
}

function exhausted(get: (name: string) => string | undefined): 'requests' | 'tokens' {
  return get('x-ratelimit-remaining-requests') === '0' ? 'requests' : 'tokens';
}

function seconds(text: string | undefined): number | undefined {
  const number = plainNumber(text);
  return number === undefined ? undefined : Math.ceil(number * 1000);
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `6m0s`, `1.5s`, `20ms`; a bare number is seconds. */
function duration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return seconds(text);
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (units[unit] ?? 0);
  }
  return Math.ceil(total);
}

/** A moment (OpenRouter, in milliseconds; others in seconds) or a number of seconds from now. */
function untilStamp(text: string | undefined, now: number): number | undefined {
  const value = plainNumber(text);
  if (value === undefined) return duration(text);
  if (value > 1e11) return Math.max(0, Math.ceil(value - now));
  if (value > 1e8) return Math.max(0, Math.ceil(value * 1000 - now));
  return Math.ceil(value * 1000);
}
