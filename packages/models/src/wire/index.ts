import { anthropicMessages } from './anthropic-messages/index.ts';
import { gemini } from './gemini/index.ts';
import { ollama } from './ollama/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';
import type { Wire } from './wire.ts';

export {
  anthropicMessages,
  countTokensPath,
  decodeCountTokensRequest,
  decodeTokenCount,
  defaultMaxTokens,
  encodeCountTokensRequest,
  encodeTokenCount,
} from './anthropic-messages/index.ts';
export { assembleReply, ReplyAssembler } from './assemble-reply.ts';
export { eventsOfReply } from './events-of-reply.ts';
export {
  createGemini,
  fromGeminiSchema,
  gemini,
  type SchemaForm,
  toGeminiSchema,
} from './gemini/index.ts';
export { ModelError } from './model-error.ts';
export { createOllama, missingCapability, ollama } from './ollama/index.ts';
export {
  type ChatDialect,
  createOpenaiChat,
  defaultDialect,
  isContextOverflow,
  type OpenaiChatOptions,
  openaiChat,
} from './openai-chat/index.ts';
export {
  createOpenaiResponses,
  type OpenaiResponsesOptions,
  openaiResponses,
} from './openai-responses/index.ts';
export type * from './wire.ts';
export { type WireError, type WireErrorKind, wireErrorKinds } from './wire-error.ts';

/** Every wire, by its name, as most servers speak it. */
export const wires: Readonly<Record<Wire['name'], Wire>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
  ollama,
};
