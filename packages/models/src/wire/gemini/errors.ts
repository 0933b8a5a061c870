import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { boundedBody } from '../shared/error-text.ts';
import { kindOfStatus } from '../shared/kind-of-status.ts';
import { asList, asNumber, asText } from '../shared/lenient.ts';
import { parseJson } from '../shared/parse-json.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { textForError } from '../shared/text-for-error.ts';
import { kindSaidIn, sayKind } from '../shared/unnamed-kinds.ts';
import type { Wire } from '../wire.ts';
import type { WireError, WireErrorKind } from '../wire-error.ts';

const overflowText = /input token count.*exceeds|exceeds the maximum number of tokens/i;
const keyText = /api[ _]key (not valid|expired|not found)|API_KEY_INVALID/i;

const kinds: Readonly<Record<string, WireErrorKind>> = {
  UNAUTHENTICATED: 'auth',
  PERMISSION_DENIED: 'auth',
  NOT_FOUND: 'not_found',
  RESOURCE_EXHAUSTED: 'rate_limited',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timeout',
  INTERNAL: 'unavailable',
  UNKNOWN: 'unavailable',
  ABORTED: 'unavailable',
  CANCELLED: 'unavailable',
  INVALID_ARGUMENT: 'bad_request',
  FAILED_PRECONDITION: 'bad_request',
  OUT_OF_RANGE: 'bad_request',
  UNIMPLEMENTED: 'bad_request',
};

/** The HTTP status and Google's word for each kind. */
const codes: Readonly<Record<WireErrorKind, readonly [number, string]>> = {
  auth: [401, 'UNAUTHENTICATED'],
  bad_request: [400, 'INVALID_ARGUMENT'],
  context_overflow: [400, 'INVALID_ARGUMENT'],
  not_found: [404, 'NOT_FOUND'],
  rate_limited: [429, 'RESOURCE_EXHAUSTED'],
  overloaded: [503, 'UNAVAILABLE'],
  unavailable: [500, 'INTERNAL'],
  timeout: [504, 'DEADLINE_EXCEEDED'],
  bad_response: [500, 'INTERNAL'],
  content_filter: [400, 'INVALID_ARGUMENT'],
};

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo';

export function decodeGeminiError(
  { status, headers, body }: Parameters<Wire['decodeError']>[0],
  now: number,
): WireError {
  const told = errorOf(parseJson(body), status);
  const retryAfter = told?.retryAfter ?? readRetryAfter(headers, now);
  return {
    kind: told?.kind ?? kindOf({ status, word: '', message: body }),
    message: told?.message ?? `Gemini answered with status ${status}.`,
    status,
    ...(retryAfter !== undefined && { retryAfter }),
    ...boundedBody(body),
  };
}

/**
 * The error in a body or a stream's chunk, alone or in a list, or nothing if there is none. `answered`:
 * the status it came with, for servers that put none into the body.
 */
export function errorOf(value: unknown, answered?: number): WireError | undefined {
  const holder: unknown = Array.isArray(value) ? value[0] : value;
  const error = isJsonObject(holder) ? holder.error : undefined;
  if (typeof error === 'string') {
    return {
      kind: kindOf({ status: answered, word: '', message: error }),
      message: sayGemini(error),
    };
  }
  if (!isJsonObject(error)) return undefined;
  const status = asNumber(error.code) ?? answered;
  const word = asText(error.status) ?? '';
  const message = asText(error.message) ?? '';
  const details = asList(error.details).filter(isJsonObject);
  const reasons = details.map((detail) => asText(detail.reason) ?? '').join(' ');
  const retryAfter = delayOf(details);
  return {
    kind: kindOf({ status, word, message: `${message} ${reasons}` }),
    message: sayGemini(message || word || 'an error without a message'),
    ...(status !== undefined && { status }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...boundedBody(textForError(holder)),
  };
}

/** What a server answers, and what a stream that fails ends with. */
export function encodeGeminiError(error: WireError): { status: number; body: JsonObject } {
  const { kind, message, retryAfter } = error;
  const [code, word] = codes[kind];
  const details: JsonValue[] =
    retryAfter === undefined
      ? []
      : [{ '@type': retryInfo, retryDelay: `${Math.max(0, retryAfter) / 1000}s` }];
  return {
    status: code,
    body: {
      error: {
        code,
        message: sayKind(kind, message, kindOf({ status: code, word, message })),
        status: word,
        ...(details.length > 0 && { details }),
      },
    },
  };
}

function kindOf({
  status,
  word,
  message,
}: {
  status: number | undefined;
  word: string;
  message: string;
}): WireErrorKind {
  const said = kindSaidIn(message);
  if (said !== undefined) return said;
  if (overflowText.test(message)) return 'context_overflow';
  if (keyText.test(message)) return 'auth';
  const named = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  return named ?? kindOfStatus(status);
}

/** `retryDelay` is a duration in seconds: `"34.07s"`. */
function delayOf(details: readonly JsonObject[]): number | undefined {
  const info = details.find((detail) => detail['@type'] === retryInfo);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(asText(info?.retryDelay) ?? '')?.[1];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

function sayGemini(message: string): string {
  return `Gemini: ${message}`;
}
