import { anthropicMessages } from '../wire/anthropic-messages/index.ts';
import { gemini } from '../wire/gemini/index.ts';
import { ollama } from '../wire/ollama/index.ts';
import { createOpenaiChat, openaiChat } from '../wire/openai-chat/index.ts';
import { openaiResponses } from '../wire/openai-responses/index.ts';
import type { Wire } from '../wire/wire.ts';
import type { Profile } from './profile.ts';

/** The codec a profile names, in its dialect. */
export function wireOf({ wire }: Profile): Wire {
  switch (wire.name) {
    case 'openai-chat':
      return wire.dialect === undefined ? openaiChat : createOpenaiChat({ dialect: wire.dialect });
    case 'openai-responses':
      return openaiResponses;
    case 'anthropic-messages':
      return anthropicMessages;
    case 'gemini':
      return gemini;
    case 'ollama':
      return ollama;
    default:
      return wire satisfies never;
  }
}
