import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  streamText,
  tool,
} from 'ai';
import { type AskOptions, type Heard, question, type Voice, weather } from './voice.ts';

const { name, description, parameters } = weather;
const tools = {
  [name]: tool({
    description,
    inputSchema: jsonSchema<{ city: string; days: number }>({
      ...parameters,
      required: [...parameters.required],
    }),
  }),
};

type Provider = 'openai chat' | 'openai responses' | 'openai-compatible' | 'anthropic';

/** Each provider of the Vercel AI SDK that a proxy can stand behind. */
export const aiSdkModels: Readonly<Record<Provider, (url: string) => LanguageModel>> = {
  'openai chat': (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).chat('m'),
  'openai responses': (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).responses('m'),
  'openai-compatible': (url) =>
    createOpenAICompatible({
      name: 'forge',
      baseURL: `${url}/v1`,
      supportsStructuredOutputs: true,
    })('m'),
  anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key' })('m'),
};

/** The `ai` package through one of its providers. */
export function aiSdkVoice(provider: Provider): Voice {
  return {
    name: `ai (${provider})`,
    finishOfCalls: 'tool-calls',
    ask: (url, options) =>
      ask(aiSdkModels[provider](url), [{ role: 'user', content: question }], options),
  };
}

async function ask(
  model: LanguageModel,
  messages: readonly ModelMessage[],
  options: AskOptions,
): Promise<Heard> {
  const { text, toolCalls, finishReason, response } = await (options.stream ? streamed : whole)(
    model,
    messages,
    options,
  );
  return {
    text,
    calls: toolCalls.map(({ toolName, input }) => ({ name: toolName, args: input })),
    finish: finishReason,
    answer: (result) =>
      ask(
        model,
        [
          ...messages,
          ...response.messages,
          {
            role: 'tool',
            content: toolCalls.map(({ toolCallId, toolName }) => ({
              type: 'tool-result' as const,
              toolCallId,
              toolName,
              output: { type: 'text' as const, value: result },
            })),
          },
        ],
        options,
      ),
  };
}

function settings(model: LanguageModel, messages: readonly ModelMessage[], { signal }: AskOptions) {
  return {
    model,
    messages: [...messages],
    tools,
    maxOutputTokens: 999,
    maxRetries: 0,
    abortSignal: signal,
  };
}

const whole = (model: LanguageModel, messages: readonly ModelMessage[], options: AskOptions) =>
  generateText(settings(model, messages, options));

async function streamed(
  model: LanguageModel,
  messages: readonly ModelMessage[],
  options: AskOptions,
) {
  const result = streamText({
    ...settings(model, messages, options),
    // Failures come as parts of the stream.
    onError() {},
  });
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') options.onText?.(part.text);
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw new Error('The client left.');
  }
  return {
    text: await result.text,
    toolCalls: await result.toolCalls,
    finishReason: await result.finishReason,
    response: await result.response,
  };
}
