import type { JsonObject } from '@forge/core';
import { kindOfStatus } from '../shared/kind-of-status.ts';
import { parseJson } from '../shared/parse-json.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import type { WireError, WireErrorKind } from '../wire-error.ts';
import { type ErrorDetails, readError } from './error-body.ts';
import { toWireError } from './error-kind.ts';
import { readRateLimitReset } from './rate-limit-reset.ts';

export interface FailedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Any body: JSON in any of the shapes servers send, text, HTML, nothing. */
export function decodeError({ status, headers, body }: FailedResponse, now: number): WireError {
  const parsed = parseJson(body);
  const details = readError(parsed) ?? readText(parsed ?? body);
  const told = { ...details?.headers, ...headers };
  const retryAfter = readRetryAfter(told, now) ?? readRateLimitReset(told, now);
  return toWireError(details, {
    status,
    body,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** A short text is a message; a page of HTML is not. */
function readText(body: unknown): ErrorDetails | undefined {
  if (typeof body !== 'string' || /^\s*</.test(body) || body.length > 1000) return undefined;
  return { message: body, words: [] };
}

interface Spelling {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
}

/** As OpenAI spells them, so that its clients raise the right exception. */
const spellings: Readonly<Record<WireErrorKind, Spelling>> = {
  auth: { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  bad_request: { status: 400, type: 'invalid_request_error', code: null },
  context_overflow: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  not_found: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  rate_limited: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  overloaded: { status: 503, type: 'server_error', code: 'overloaded' },
  unavailable: { status: 502, type: 'server_error', code: 'unavailable' },
  timeout: { status: 504, type: 'server_error', code: 'timeout' },
  bad_response: { status: 502, type: 'server_error', code: 'bad_response' },
  content_filter: { status: 400, type: 'invalid_request_error', code: 'content_filter' },
};

/** The status it came with is passed on if it means the same. */
export function encodeError(error: WireError): {
  readonly status: number;
  readonly body: JsonObject;
} {
  const { status, type, code } = spellings[error.kind];
  const told = error.status;
  return {
    status: told !== undefined && kindOfStatus(told) === error.kind && told >= 400 ? told : status,
    body: { error: { message: error.message, type, param: null, code } },
  };
}
