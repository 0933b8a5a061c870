import type { AssistantPart, Message, ModelRequest, ToolSpec } from '@forge/core';
import { text, userMessage } from '@forge/core';

/** A tool and conversations with it, for the tests beside this file. */
export const weather: ToolSpec = {
  name: 'get_weather',
  description: 'Says what the weather is like in a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

export function assistant(...content: AssistantPart[]): Message {
  return { role: 'assistant', content };
}

export function call(id = 'c1', args = { city: 'Oslo' }): AssistantPart {
  return { type: 'tool_call', id, name: 'get_weather', args };
}

export function result(said: string, isError = false, callId = 'c1'): Message {
  return {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId,
        name: 'get_weather',
        content: [text(said)],
        ...(isError && { isError }),
      },
    ],
  };
}

export const refused: readonly Message[] = [
  assistant(call()),
  result('[ToolArgValidationError] get_weather was not run, its arguments do not fit.', true),
];

export function asking(...after: readonly Message[]): ModelRequest {
  return {
    messages: [userMessage('What is the weather in Oslo?'), ...after],
    tools: [weather],
    toolChoice: 'auto',
  };
}
