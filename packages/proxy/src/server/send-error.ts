import type { ServerResponse } from 'node:http';
import {
  encodeNdjson,
  encodeSse,
  type StreamEncoder,
  type Wire,
  type WireError,
  wires,
} from '@forge/models';
import { corsHeaders } from './cors.ts';

export interface ErrorAnswer {
  readonly error: WireError;
  /** The client's; OpenAI's shape where there is none. */
  readonly wire?: Wire | undefined;
  /** More headers, flat: name, value, name, value. */
  readonly headers?: readonly string[];
  /** The one the stream is written with, once a stream has begun. */
  readonly encoder?: StreamEncoder | undefined;
}

/**
 * Answers with an error in the client's own shape. Where the head is out already, the error is the
 * last event of the stream; where that is no stream the connection is cut, so that half a reply
 * is not taken for a whole one. Does nothing to a response that is over. Gives the status the
 * error has, also where it could not be said any more.
 */
export function sendError(response: ServerResponse, answer: ErrorAnswer): number {
  const { error, wire = wires['openai-chat'], headers = [], encoder } = answer;
  const { status, fields, body } = composeError(wire, error);
  if (response.destroyed || response.writableEnded) return status;
  if (!response.headersSent) {
    response.writeHead(status, [...fields, ...headers]);
    response.end(body);
  } else if (encoder !== undefined) {
    const frames = encoder.push({ type: 'error', error });
    response.end(frames.map(wire.framing === 'sse' ? encodeSse : encodeNdjson).join(''));
  } else {
    response.destroy();
  }
  return status;
}

/** The whole answer to be sent for an error: its status, its headers (flat) and its body. */
export function composeError(
  wire: Wire,
  error: WireError,
): { readonly status: number; readonly fields: string[]; readonly body: Buffer } {
  const encoded = wire.encodeError(error);
  const body = Buffer.from(JSON.stringify(encoded.body));
  const fields = [
    'content-type',
    'application/json',
    'content-length',
    String(body.length),
    ...corsHeaders,
  ];
  for (const [name, value] of Object.entries(encoded.headers ?? {})) fields.push(name, value);
  return { status: exactStatus(encoded.status, error.status), fields, body };
}

/** A wire knows one status per kind of error; the one that was told, here or by the backend, stands. */
function exactStatus(encoded: number, told: number | undefined): number {
  return told !== undefined && told >= 400 && told <= 599 ? told : encoded;
}
