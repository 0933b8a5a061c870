import type { WireErrorKind } from '../wire/wire-error.ts';

export interface RetryPolicy {
  /** How often to try in all, the first time included. */
  readonly attempts: number;
  /** The first wait is drawn from 0 to this many milliseconds; each further range is twice as wide. */
  readonly firstDelay: number;
  readonly maxDelay: number;
  /** If the server asks for a longer wait than this, the call fails at once: trying sooner is rude. */
  readonly maxRetryAfter: number;
  /** No wait begins that would end later than this many milliseconds after the first try. */
  readonly maxElapsed: number;
  /** How often to try in all, by what went wrong. Never more than `attempts`. */
  readonly attemptsByKind: Readonly<Record<WireErrorKind, number>>;
}

const once = 1;
const asOftenAsAllowed = Number.POSITIVE_INFINITY;

/**
 * The rule for each kind of failure. What a second try cannot change is tried once; an answer we
 * cannot read is tried again only once or twice, since a server that is broken stays so.
 */
export const defaultRetryPolicy: RetryPolicy = {
  attempts: 4,
  firstDelay: 500,
  maxDelay: 30_000,
  maxRetryAfter: 60_000,
  maxElapsed: 180_000,
  attemptsByKind: {
    auth: once,
    bad_request: once,
    context_overflow: once,
    not_found: once,
    content_filter: once,
    rate_limited: asOftenAsAllowed,
    overloaded: asOftenAsAllowed,
    unavailable: asOftenAsAllowed,
    timeout: 3,
    bad_response: 3,
  },
};
