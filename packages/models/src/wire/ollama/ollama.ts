import { defineWire } from '../shared/define-wire.ts';
import type { Wire } from '../wire.ts';
import { decodeOllamaError, encodeOllamaError } from './errors.ts';
import { decodeOllamaReply, encodeOllamaReply } from './reply.ts';
import { decodeOllamaRequest, encodeOllamaRequest } from './request.ts';
import { createOllamaStreamDecoder } from './stream-decoder.ts';
import { createOllamaStreamEncoder } from './stream-encoder.ts';

/** Ollama's own `/api/chat`, both ways. The clock dates the replies a server sends. */
export function createOllama({ now = Date.now }: { now?: () => number } = {}): Wire {
  return defineWire({
    name: 'ollama',
    framing: 'ndjson',
    path: () => '/api/chat',
    encodeRequest: encodeOllamaRequest,
    decodeRequest: decodeOllamaRequest,
    encodeReply: (reply) => encodeOllamaReply(reply, now),
    decodeReply: decodeOllamaReply,
    createStreamDecoder: createOllamaStreamDecoder,
    createStreamEncoder: () => createOllamaStreamEncoder(now),
    decodeError: (response) => decodeOllamaError(response, now()),
    encodeError: encodeOllamaError,
  });
}

export const ollama = createOllama();
