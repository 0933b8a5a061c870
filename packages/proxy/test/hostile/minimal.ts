import type { Wire } from '@forge/models';
import { chat, user } from './chat.ts';

/** A small request of each wire; OpenAI's and Anthropic's have a tool. */
export const minimal: Readonly<Record<Wire['name'], Readonly<Record<string, unknown>>>> = {
  'openai-chat': chat(),
  'openai-responses': { model: 'm', input: 'hi' },
  'anthropic-messages': {
    model: 'm',
    max_tokens: 99,
    messages: [user],
    tools: [{ name: 'weather', input_schema: { type: 'object' } }],
  },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ollama: { model: 'm', messages: [user], stream: false },
};
