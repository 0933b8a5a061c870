import { isJsonObject, type JsonObject } from '@forge/core';
import { boundedBody } from '../shared/error-text.ts';
import { kindOfStatus } from '../shared/kind-of-status.ts';
import { parseJson } from '../shared/parse-json.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { textForError } from '../shared/text-for-error.ts';
import { kindSaidIn, sayKind } from '../shared/unnamed-kinds.ts';
import type { Wire } from '../wire.ts';
import type { WireError, WireErrorKind } from '../wire-error.ts';

const statuses: Readonly<Record<WireErrorKind, number>> = {
  auth: 401,
  bad_request: 400,
  context_overflow: 400,
  not_found: 404,
  rate_limited: 429,
  overloaded: 503,
  unavailable: 500,
  timeout: 504,
  bad_response: 500,
  content_filter: 400,
};

/** Ollama tells errors apart by their text alone, often under status 500. */
const texts: readonly (readonly [RegExp, WireErrorKind])[] = [
  [/does not support/i, 'bad_request'],
  [
    /context (length|size|window)|exceeds the available context|prompt (is )?too long/i,
    'context_overflow',
  ],
  [/maximum pending requests|server busy/i, 'overloaded'],
  [/more system memory|out of memory/i, 'overloaded'],
  [/error parsing tool call/i, 'bad_response'],
  [/model .*not found/i, 'not_found'],
];

export function decodeOllamaError(
  { status, headers, body }: Parameters<Wire['decodeError']>[0],
  now: number,
): WireError {
  const told = textOf(parseJson(body));
  const retryAfter = readRetryAfter(headers, now);
  return {
    kind: kindOf(told ?? body, status),
    message: told === undefined ? `Ollama answered with status ${status}.` : explain(told),
    status,
    ...(retryAfter !== undefined && { retryAfter }),
    ...boundedBody(body),
  };
}

/** The error in a body or a stream's line, or nothing if there is none. */
export function errorOf(value: unknown): WireError | undefined {
  const told = textOf(value);
  if (told === undefined) return undefined;
  const body = boundedBody(textForError(value));
  return { kind: kindOf(told, undefined), message: explain(told), ...body };
}

export function encodeOllamaError({ kind, message }: WireError): {
  status: number;
  body: JsonObject;
} {
  const status = statuses[kind];
  return { status, body: { error: sayKind(kind, message, kindOf(message, status)) } };
}

/** In a stream there is no status: the text has to say it all. */
export function encodeStreamedError({ kind, message }: WireError): JsonObject {
  return { error: sayKind(kind, message, kindOf(message, undefined)) };
}

/**
 * What a model was asked for and cannot do (`thinking`, `tools`, …), if that is what went wrong:
 * the request may be sent again without it.
 */
export function missingCapability(error: { readonly message: string }): string | undefined {
  return /does not support (\w+)/i.exec(error.message)?.[1]?.toLowerCase();
}

function textOf(value: unknown): string | undefined {
  const error = isJsonObject(value) ? value.error : undefined;
  if (typeof error === 'string') return error;
  return isJsonObject(error) && typeof error.message === 'string' ? error.message : undefined;
}

function kindOf(message: string, status: number | undefined): WireErrorKind {
  const said = kindSaidIn(message);
  if (said !== undefined) return said;
  const isVague = status === undefined || status === 400 || status === 413 || status >= 500;
  for (const [text, kind] of texts) if (isVague && text.test(message)) return kind;
  return kindOfStatus(status);
}

/** Ollama's own text, and what to do about the two errors people meet first. */
function explain(told: string): string {
  const lacking = missingCapability({ message: told });
  if (lacking === 'thinking') {
    return `Ollama: ${told}. Leave reasoning unset for this model, or choose one that thinks.`;
  }
  if (lacking === 'tools') {
    return `Ollama: ${told}. Describe the tools in the prompt, or choose a model that has them.`;
  }
  return `Ollama: ${told}`;
}
