import { defineWire } from '../shared/define-wire.ts';
import type { Wire } from '../wire.ts';
import { decodeGeminiError, encodeGeminiError } from './errors.ts';
import { decodeGeminiReply, encodeGeminiReply } from './reply.ts';
import { decodeGeminiRequest, encodeGeminiRequest } from './request.ts';
import { createGeminiStreamDecoder } from './stream-decoder.ts';
import { createGeminiStreamEncoder } from './stream-encoder.ts';
import type { SchemaForm } from './tools.ts';

/**
 * Google's `generateContent` and `streamGenerateContent` (v1beta), both ways.
 *
 * @example
 * const older = createGemini({ schemas: 'openapi' });
 */
export function createGemini({
  schemas = 'json-schema',
  now = Date.now,
}: {
  schemas?: SchemaForm;
  /** Milliseconds since 1970. */
  now?: () => number;
} = {}): Wire {
  return defineWire({
    name: 'gemini',
    framing: 'sse',
    path({ model, stream }) {
      const resource = model.includes('/') ? model.replace(/^\/+/, '') : `models/${model}`;
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      // A name is a path of its own, and nothing more.
      const encoded = encodeURI(resource).replace(/[?#]/g, encodeURIComponent);
      return `/${encoded}:${method}`;
    },
    encodeRequest: (request) => encodeGeminiRequest(request, schemas),
    decodeRequest: decodeGeminiRequest,
    encodeReply: encodeGeminiReply,
    decodeReply: decodeGeminiReply,
    createStreamDecoder: createGeminiStreamDecoder,
    createStreamEncoder: createGeminiStreamEncoder,
    decodeError: (response) => decodeGeminiError(response, now()),
    encodeError: encodeGeminiError,
  });
}

export const gemini = createGemini();
