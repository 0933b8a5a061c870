/**
 * What went wrong between us and a model, whatever the wire:
 *
 * - `auth`: no key, a wrong key, or no right to this model.
 * - `bad_request`: it will not work next time either.
 * - `context_overflow`: the request is larger than the model's window.
 * - `not_found`: no such model or path.
 * - `rate_limited`: too much for now.
 * - `overloaded`: the other side has no room for now.
 * - `unavailable`: no connection, or the server failed.
 * - `timeout`: nothing came in time.
 * - `bad_response`: what came cannot be read, or stopped in the middle.
 * - `content_filter`: withheld by the provider.
 */
export type WireErrorKind =
  | 'auth'
  | 'bad_request'
  | 'context_overflow'
  | 'not_found'
  | 'rate_limited'
  | 'overloaded'
  | 'unavailable'
  | 'timeout'
  | 'bad_response'
  | 'content_filter';

export interface WireError {
  readonly kind: WireErrorKind;
  /** For a person: what happened, without the body. */
  readonly message: string;
  readonly status?: number;
  /** Milliseconds the other side asked us to wait. */
  readonly retryAfter?: number;
  /** The body as it came, bounded; kept off the message. */
  readonly body?: string;
}

export const wireErrorKinds: readonly WireErrorKind[] = [
  'auth',
  'bad_request',
  'context_overflow',
  'not_found',
  'rate_limited',
  'overloaded',
  'unavailable',
  'timeout',
  'bad_response',
  'content_filter',
];
