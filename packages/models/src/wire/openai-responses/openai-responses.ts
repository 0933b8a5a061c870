import { randomUUID } from 'node:crypto';
import { decodeError, encodeError } from '../openai-chat/errors.ts';
import { defineWire } from '../shared/define-wire.ts';
import type { Wire } from '../wire.ts';
import { decodeReply } from './decode-reply.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamDecoder } from './stream-decoder.ts';
import { createStreamEncoder } from './stream-encoder.ts';
import { wireName } from './wire-name.ts';

export interface OpenaiResponsesOptions {
  /** Unique text for responses, items and calls that came without an id. */
  readonly newId?: () => string;
  /** Milliseconds since 1970, for the creation time of replies that have none. */
  readonly now?: () => number;
}

/**
 * OpenAI's Responses API.
 *
 * What cannot be said on it: whether a tool result is an error; topK, minP, seed, stop, penalties
 * and reasoning budgets. Reasoning of other providers is not sent (see `replayReasoning`). Its
 * errors are those of chat completions, one API's two doors: that codec reads and writes them.
 */
export function createOpenaiResponses({
  newId = defaultId,
  now = Date.now,
}: OpenaiResponsesOptions = {}): Wire {
  return defineWire({
    name: wireName,
    framing: 'sse',
    path: () => '/responses',
    encodeRequest,
    decodeRequest: (body, hints = {}) => decodeRequest(body, hints, newId),
    encodeReply: (reply) => encodeReply(reply, { newId, now }),
    decodeReply: (body) => decodeReply(body, newId),
    createStreamDecoder: () => createStreamDecoder(newId),
    createStreamEncoder: () => createStreamEncoder({ newId, now }),
    decodeError: (response) => decodeError(response, now()),
    encodeError,
  });
}

export const openaiResponses: Wire = createOpenaiResponses();

function defaultId(): string {
  return randomUUID().replaceAll('-', '');
}
