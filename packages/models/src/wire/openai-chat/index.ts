export { isContextOverflow } from './context-overflow.ts';
export { type ChatDialect, defaultDialect } from './dialect.ts';
export { createOpenaiChat, type OpenaiChatOptions, openaiChat } from './openai-chat.ts';
