import type { JsonObject } from '@forge/core';
import * as z from 'zod';
import { markHistory, ownHistory } from '../shared/proof-of-origin.ts';
import { refuseTooDeep } from '../shared/too-deep.ts';
import type { WireRequest } from '../wire.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { inReply, optionalNumber, readObject, without } from './read-object.ts';
import { wireName } from './wire-name.ts';

/** Where to post a request to have its tokens counted. */
export const countTokensPath = '/v1/messages/count_tokens';

const countSchema = z.object({ input_tokens: optionalNumber });

/** How a reply is to be written does not count, and this endpoint refuses it. */
const notCounted = {
  max_tokens: 0,
  stream: 0,
  temperature: 0,
  top_p: 0,
  top_k: 0,
  stop_sequences: 0,
  metadata: 0,
  service_tier: 0,
};

export function encodeCountTokensRequest(request: WireRequest): JsonObject {
  const messages = ownHistory(request.messages, wireName);
  return without(encodeRequest({ ...request, messages }), notCounted);
}

/** The same body as a message request, without `max_tokens`. */
export function decodeCountTokensRequest(body: unknown): WireRequest {
  const request = refuseTooDeep('bad_request', () => decodeRequest(body));
  return { ...request, messages: markHistory(request.messages, wireName) };
}

export function encodeTokenCount(inputTokens: number): JsonObject {
  return { input_tokens: inputTokens };
}

export function decodeTokenCount(body: unknown): number {
  return readObject(countSchema, body, inReply).fields.input_tokens ?? 0;
}
