import { randomUUID } from 'node:crypto';
import { defineWire } from '../shared/define-wire.ts';
import type { Wire } from '../wire.ts';
import { type ChatDialect, defaultDialect } from './dialect.ts';
import { decodeError, encodeError } from './errors.ts';
import { decodeReply, encodeReply, type Stamp } from './reply.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { createStreamDecoder } from './stream-decoder.ts';
import { createStreamEncoder } from './stream-encoder.ts';

export interface OpenaiChatOptions {
  /** Where this server differs from most. */
  readonly dialect?: Partial<ChatDialect>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Ids for replies that have none. */
  readonly newId?: () => string;
}

/**
 * Chat completions, as spoken by OpenAI and by nearly every server since.
 *
 * @example
 * const wire = createOpenaiChat({ dialect: { maxTokensField: 'max_completion_tokens' } });
 */
export function createOpenaiChat(options: OpenaiChatOptions = {}): Wire {
  const dialect: ChatDialect = { ...defaultDialect, ...options.dialect };
  const { now = Date.now, newId = randomUUID } = options;
  const stamp = (): Stamp => ({
    id: `chatcmpl-${newId()}`,
    created: Math.floor(now() / 1000),
  });
  return defineWire({
    name: 'openai-chat',
    framing: 'sse',
    path: () => '/chat/completions',
    encodeRequest: (request) => encodeRequest(request, dialect),
    decodeRequest,
    encodeReply: (reply) => encodeReply(reply, dialect, stamp),
    decodeReply,
    createStreamDecoder,
    createStreamEncoder: () => createStreamEncoder(dialect, stamp),
    decodeError: (response) => decodeError(response, now()),
    encodeError,
  });
}

/** The wire as most servers speak it. */
export const openaiChat: Wire = createOpenaiChat();
