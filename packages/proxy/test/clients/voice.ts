import type { JsonObject } from '@forge/core';

/** What a client made of a reply. */
export interface Heard {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  /** Why the reply ended, as the client's wire spells it. */
  readonly finish: string;
  /** Asks again with a result for every call, as the client's own loop would. */
  answer(result: string): Promise<Heard>;
}

export interface AskOptions {
  readonly stream: boolean;
  readonly signal?: AbortSignal;
  /** Told of every piece of text of a stream as it comes. */
  readonly onText?: (text: string) => void;
}

/** One real client, asked one question with one tool. */
export interface Voice {
  readonly name: string;
  /** Its word for a reply that ends in tool calls. */
  readonly finishOfCalls: string;
  ask(url: string, options: AskOptions): Promise<Heard>;
}

export const question = 'What is the weather in Oslo over the next three days?';

/** The tool every client offers. */
export const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Name of the city' },
      days: { type: 'integer', minimum: 1, description: 'How many days ahead' },
    },
    required: ['city', 'days'],
    additionalProperties: false,
  },
} as const;

export const rightArgs: JsonObject = { city: 'Oslo', days: 3 };
