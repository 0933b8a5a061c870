import type { JsonObject } from '@forge/core';
import { sayKind } from '../shared/unnamed-kinds.ts';
import type { WireError, WireErrorKind } from '../wire-error.ts';
import { decodeErrorBody, filterWords } from './decode-error.ts';

const answers: Readonly<Record<WireErrorKind, readonly [status: number, type: string]>> = {
  auth: [401, 'authentication_error'],
  bad_request: [400, 'invalid_request_error'],
  context_overflow: [400, 'invalid_request_error'],
  not_found: [404, 'not_found_error'],
  rate_limited: [429, 'rate_limit_error'],
  overloaded: [529, 'overloaded_error'],
  unavailable: [500, 'api_error'],
  timeout: [504, 'timeout_error'],
  bad_response: [502, 'api_error'],
  content_filter: [400, 'invalid_request_error'],
};

/** The answer of a server of this wire. The body of the error it stands for stays here. */
export function encodeError(error: WireError): {
  readonly status: number;
  readonly body: JsonObject;
} {
  const [status, type] =
    error.kind === 'auth' && error.status === 403
      ? ([403, 'permission_error'] as const)
      : answers[error.kind];
  return { status, body: { type: 'error', error: { type, message: wordsFor(error) } } };
}

const ownOverflowWords = /prompt is too long/i;

/** Clients know an overflow and a filter by Anthropic's own words only, whatever others call it. */
function wordsFor({ kind, message }: WireError): string {
  if (kind === 'context_overflow' && !ownOverflowWords.test(message)) {
    return `prompt is too long: ${message}`;
  }
  if (kind === 'content_filter' && !filterWords.test(message)) {
    return `Output blocked by content filtering policy: ${message}`;
  }
  const [status, type] = answers[kind];
  return sayKind(kind, message, decodeErrorBody({ error: { type, message } }, status).kind);
}
