import Anthropic from '@anthropic-ai/sdk';
import { type AskOptions, type Heard, question, type Voice, weather } from './voice.ts';

export const anthropicTools: Anthropic.Tool[] = [
  {
    name: weather.name,
    description: weather.description,
    input_schema: { ...weather.parameters, required: [...weather.parameters.required] },
  },
];

export function anthropicAt(url: string, options: { maxRetries?: number } = {}): Anthropic {
  return new Anthropic({ apiKey: 'key', baseURL: url, maxRetries: 0, ...options });
}

/** The `@anthropic-ai/sdk` package. */
export const anthropicVoice: Voice = {
  name: '@anthropic-ai/sdk',
  finishOfCalls: 'tool_use',
  ask: (url, options) => ask(anthropicAt(url), [{ role: 'user', content: question }], options),
};

async function ask(
  client: Anthropic,
  messages: readonly Anthropic.MessageParam[],
  options: AskOptions,
): Promise<Heard> {
  const { signal, stream, onText } = options;
  const body = { model: 'm', max_tokens: 999, messages: [...messages], tools: anthropicTools };
  const message = stream
    ? await client.messages
        .stream(body, { signal })
        .on('text', (text) => onText?.(text))
        .finalMessage()
    : await client.messages.create(body, { signal });
  const called = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  return {
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: called.map(({ name, input }) => ({ name, args: input })),
    finish: message.stop_reason ?? '',
    answer: (result) =>
      ask(
        client,
        [
          ...messages,
          { role: 'assistant', content: message.content },
          {
            role: 'user',
            content: called.map(({ id }) => ({
              type: 'tool_result' as const,
              tool_use_id: id,
              content: result,
            })),
          },
        ],
        options,
      ),
  };
}
