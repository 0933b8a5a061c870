import { isJsonObject } from '@forge/core';
import { encodeNdjson, encodeSse } from '../../framing/index.ts';
import { eventsOfReply } from '../../wire/events-of-reply.ts';
import type { StreamEvent, Wire, WireReply, WireRequest } from '../../wire/wire.ts';
import type { WireError, WireErrorKind } from '../../wire/wire-error.ts';
import type { ContentFault } from './fault.ts';
import { inPieces } from './in-pieces.ts';
import type { Answer } from './server-line.ts';

/** A response before it is sent. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: Iterable<string | Uint8Array>;
}

const json = { 'content-type': 'application/json' };

/** What the wire says for an answer, whole or streamed as the request asks. */
export function compose(wire: Wire, request: WireRequest, answer: Answer): Response {
  if (answer.type === 'error') return composeError(wire, answer.error);
  const { reply } = answer;
  return request.stream
    ? composeStream(wire, eventsFor(wire, request, reply))
    : { status: 200, headers: json, chunks: [JSON.stringify(wire.encodeReply(reply))] };
}

/** A reply that fails at its end. */
export function composeLateError(
  wire: Wire,
  request: WireRequest,
  { answer, error }: { readonly answer: Answer; readonly error: WireError },
): Response {
  if (answer.type === 'error' || !request.stream) return composeError(wire, error);
  const events = [...eventsFor(wire, request, answer.reply)];
  const begun = events.filter(({ type }) => type !== 'finish');
  return composeStream(wire, [...begun, { type: 'error', error }]);
}

export function composeError(wire: Wire, error: WireError): Response {
  const { status, body } = wire.encodeError(error);
  const wait = error.retryAfter;
  const headers = wait === undefined ? json : { ...json, 'retry-after': String(wait / 1000) };
  return { status, headers, chunks: [JSON.stringify(body)] };
}

export function composeFault(
  wire: Wire,
  request: WireRequest,
  fault: Exclude<ContentFault, { type: 'late_error' }>,
): Response {
  switch (fault.type) {
    case 'status': {
      const { status, retryAfter, body } = fault;
      const message = `The script answers with status ${status}.`;
      const { chunks } = composeError(wire, { kind: kindOf(status), message, status });
      return {
        status,
        headers: { ...json, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
        chunks: body === undefined ? chunks : [body],
      };
    }
    case 'html':
      return {
        status: fault.status ?? 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        chunks: ['<!DOCTYPE html><html><body><h1>Welcome to the gateway</h1></body></html>'],
      };
    case 'malformed_json':
      return request.stream
        ? { ...streamHead(wire), chunks: [write(wire, { data: '{"half": "of an ob' })] }
        : { status: 200, headers: json, chunks: ['{"half": "of an ob'] };
    case 'malformed_bytes': {
      const noise = Uint8Array.of(0x1f, 0x8b, 0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a, 0x0a);
      return request.stream
        ? { ...streamHead(wire), chunks: [noise] }
        : { status: 200, headers: json, chunks: [noise] };
    }
    default:
      return fault satisfies never;
  }
}

function composeStream(wire: Wire, events: Iterable<StreamEvent>): Response {
  return { ...streamHead(wire), chunks: encode(wire, events) };
}

function streamHead(wire: Wire) {
  const type = wire.framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson';
  return { status: 200, headers: { 'content-type': type } };
}

function* encode(wire: Wire, events: Iterable<StreamEvent>): Generator<string> {
  const encoder = wire.createStreamEncoder();
  for (const event of events) for (const frame of encoder.push(event)) yield write(wire, frame);
}

function write(wire: Wire, frame: Parameters<typeof encodeSse>[0]): string {
  return wire.framing === 'sse' ? encodeSse(frame) : encodeNdjson(frame);
}

/** Chat completions tell the usage of a stream only to clients that ask for it. */
function* eventsFor(wire: Wire, request: WireRequest, reply: WireReply): Generator<StreamEvent> {
  const { stream_options: options } = request.extra;
  const isQuiet =
    wire.name === 'openai-chat' && !(isJsonObject(options) && options.include_usage === true);
  const { usage: _, ...uncounted } = reply;
  yield* inPieces(eventsOfReply(isQuiet ? uncounted : reply));
}

function kindOf(status: number): WireErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'not_found';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529) return 'overloaded';
  return status >= 500 ? 'unavailable' : 'bad_request';
}
