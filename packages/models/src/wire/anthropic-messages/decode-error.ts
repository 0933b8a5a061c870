import { isJsonObject } from '@forge/core';
import { boundedBody, oneLine } from '../shared/error-text.ts';
import { kindOfStatus } from '../shared/kind-of-status.ts';
import { parseJson } from '../shared/parse-json.ts';
import { isRequestFault } from '../shared/request-fault.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { kindSaidIn } from '../shared/unnamed-kinds.ts';
import type { WireError, WireErrorKind } from '../wire-error.ts';

const kinds: Readonly<Record<string, WireErrorKind>> = {
  invalid_request_error: 'bad_request',
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'bad_request',
  not_found_error: 'not_found',
  /** The body is over the limit in bytes. What helps is the same: send less. */
  request_too_large: 'context_overflow',
  rate_limit_error: 'rate_limited',
  timeout_error: 'timeout',
  api_error: 'unavailable',
  overloaded_error: 'overloaded',
};

const overflowWords =
  /prompt is too long|input is too long|maximum context length|exceeds? (the |available |maximum |model's )*context|context (length|window|limit) exceeded/i;
export const filterWords = /content filtering policy/i;

/** What an error response means: by its `error.type`, else by its status. */
export function decodeError(
  response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  },
  clock: () => number = Date.now,
): WireError {
  const { status, headers, body } = response;
  const wait = readRetryAfter(headers, clock());
  return {
    ...decodeErrorBody(parseJson(body), status),
    status,
    ...(wait !== undefined && { retryAfter: wait }),
    ...boundedBody(body),
  };
}

/** The error in a body or a stream's event; `status` decides where the body does not say. */
export function decodeErrorBody(body: unknown, status?: number): WireError {
  const outer = isJsonObject(body) ? body : {};
  const error = isJsonObject(outer.error) ? outer.error : outer;
  const type = typeof error.type === 'string' ? error.type : '';
  const said = [error.message, outer.message, outer.error, outer.detail].find(
    (words) => typeof words === 'string' && words.trim() !== '',
  );
  const words = typeof said === 'string' ? oneLine(said) : undefined;
  const named = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  const text = typeof said === 'string' ? said : '';
  const kind = kindSaidIn(text) ?? refine(named, text, status);
  const name = [status, type === 'error' ? '' : type].filter(Boolean).join(' ') || 'an error';
  return { kind, message: words ?? `The Messages API answered ${name} without a message.` };
}

/** Some kinds have no type of their own and are told apart by their words. */
function refine(
  kind: WireErrorKind | undefined,
  words: string,
  status: number | undefined,
): WireErrorKind {
  const known = kind ?? kindOfStatus(status);
  if (known !== 'bad_request' && kind !== undefined) return known;
  if (overflowWords.test(words)) return 'context_overflow';
  if (filterWords.test(words)) return 'content_filter';
  if (known === 'unavailable' && isRequestFault(words)) return 'bad_request';
  return known;
}
