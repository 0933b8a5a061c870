import { boundedBody, oneLine } from '../shared/error-text.ts';
import { kindOfStatus } from '../shared/kind-of-status.ts';
import { isRequestFault } from '../shared/request-fault.ts';
import type { WireError, WireErrorKind } from '../wire-error.ts';
import { isContextOverflow } from './context-overflow.ts';
import type { ErrorDetails } from './error-body.ts';

/** Types and codes that say more than the status. */
const kinds: ReadonlyMap<string, WireErrorKind> = new Map([
  ['invalid_api_key', 'auth'],
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  // Waiting does not help against an empty account, whatever the status says.
  ['insufficient_quota', 'auth'],
  ['billing_hard_limit_reached', 'auth'],
  ['model_not_found', 'not_found'],
  ['not_found_error', 'not_found'],
  ['content_filter', 'content_filter'],
  ['content_policy_violation', 'content_filter'],
  ['rate_limit_exceeded', 'rate_limited'],
  ['rate_limit_error', 'rate_limited'],
  ['overloaded', 'overloaded'],
  ['overloaded_error', 'overloaded'],
  ['unavailable_error', 'overloaded'], // llama.cpp while it loads the model
  ['timeout', 'timeout'],
  ['bad_response', 'bad_response'],
  ['unavailable', 'unavailable'],
]);

/** Moderation refuses with 403 and says why (OpenRouter). */
const moderation = /flagged|moderation|content management policy/i;

export interface ErrorResponse {
  readonly status?: number;
  readonly body?: string;
  readonly retryAfter?: number;
}

/** What a server said, as an error of no particular wire. */
export function toWireError(details: ErrorDetails | undefined, response: ErrorResponse): WireError {
  const status = realStatus(details, response);
  return {
    kind: kindOf(details, status),
    message: sentence(details?.message ?? '', status),
    ...(status === undefined ? {} : { status }),
    ...(response.retryAfter === undefined ? {} : { retryAfter: response.retryAfter }),
    ...boundedBody(response.body ?? ''),
  };
}

/** A failure told with status 200 has its status in the body. */
function realStatus(details: ErrorDetails | undefined, { status }: ErrorResponse) {
  return status === undefined || status < 400 ? (details?.status ?? status) : status;
}

function kindOf(details: ErrorDetails | undefined, status: number | undefined): WireErrorKind {
  const byStatus = kindOfStatus(status);
  if (details === undefined) return byStatus;
  if (isContextOverflow(details)) return 'context_overflow';
  for (const word of details.words) {
    const kind = kinds.get(word);
    if (kind !== undefined) return kind;
  }
  if (status === undefined && details.words.includes('invalid_request_error')) return 'bad_request';
  if (byStatus === 'unavailable' && isRequestFault(details.message)) return 'bad_request';
  return status === 403 && moderation.test(details.message) ? 'content_filter' : byStatus;
}

function sentence(message: string, status: number | undefined): string {
  const who = status === undefined ? 'The server failed' : `The server answered ${status}`;
  const text = oneLine(message);
  return text === '' ? `${who}.` : `${who}: ${text}`;
}
