import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import {
  assembleReply,
  createNdjsonDecoder,
  createSseDecoder,
  ModelError,
  type Wire,
  type WireError,
  type WireReply,
} from '@forge/models';
import * as z from 'zod';
import type { RawResponse } from './raw-connection.ts';

/** A response as the client's own wire reads it: a reply, or an error. */
export interface Answer extends RawResponse {
  readonly reply?: WireReply;
  readonly error?: WireError;
  readonly isStream: boolean;
}

const words = z.string().min(1);
const openai = z.object({ error: z.union([words, z.object({ message: words })]) });

/** The shape an error has to have, or clients do not show its words. */
const errorShapes: Readonly<Record<Wire['name'], z.ZodType>> = {
  'openai-chat': openai,
  'openai-responses': openai,
  'anthropic-messages': z.object({
    type: z.literal('error'),
    error: z.object({ type: words, message: words }),
  }),
  gemini: z.object({ error: z.object({ code: z.number(), message: words, status: words }) }),
  ollama: z.object({ error: words }),
};

/** Words of our own machinery, which no client may see. */
const internals =
  /TypeError|RangeError|SyntaxError|node:internal|\.ts:\d|undefined is not|\bundici\b/;

export function readAnswer(wire: Wire, response: RawResponse): Answer {
  const type = response.headers['content-type'] ?? '';
  const isStream = /event-stream|ndjson/.test(type);
  const isPacked = response.headers['content-encoding'] === 'gzip';
  const text = (isPacked ? gunzipSync(response.body) : response.body).toString();
  assert.doesNotMatch(text.slice(0, 5_000), internals);
  if (isStream) return { ...response, isStream, ...readStream(wire, response) };
  if (response.body.length === 0) return { ...response, isStream };
  if (response.status >= 400) {
    assert.ok(errorShapes[wire.name].safeParse(parsed(text)).success, `an error: ${text}`);
    const { status, headers } = response;
    return { ...response, isStream, error: wire.decodeError({ status, headers, body: text }) };
  }
  if (!response.isWhole) return { ...response, isStream };
  return { ...response, isStream, reply: wire.decodeReply(JSON.parse(text)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readStream(
  wire: Wire,
  { body }: RawResponse,
): { readonly reply?: WireReply; readonly error?: WireError } {
  const framing = wire.framing === 'sse' ? createSseDecoder() : createNdjsonDecoder();
  const decoder = wire.createStreamDecoder();
  const frames = [...framing.push(body), ...framing.end()];
  const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
  try {
    return { reply: assembleReply(events, wire.name) };
  } catch (error) {
    assert.ok(error instanceof ModelError);
    return { error };
  }
}

/** The calls of a reply, their arguments as JSON reads them. */
export function callsIn(
  reply: WireReply | undefined,
): readonly { readonly id: string; readonly name: string; readonly args: unknown }[] {
  const parts = reply?.content ?? [];
  return parts.flatMap((part) => {
    if (part.type !== 'tool_call') return [];
    const { id, name, args } = part;
    return { id, name, args: typeof args === 'string' ? JSON.parse(args) : args };
  });
}

export function textIn(reply: WireReply | undefined): string {
  return (reply?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}
