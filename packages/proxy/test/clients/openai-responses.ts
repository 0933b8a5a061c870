import type OpenAI from 'openai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { openaiAt } from './openai-chat.ts';
import { type AskOptions, type Heard, question, type Voice, weather } from './voice.ts';

const { parameters, ...named } = weather;
export const weatherTools = [
  { type: 'function' as const, ...named, parameters: { ...parameters }, strict: true },
];

/** The `openai` package, responses. */
export const openaiResponsesVoice: Voice = {
  name: 'openai (responses)',
  finishOfCalls: 'completed',
  ask: (url, options) => ask(openaiAt(url), [{ role: 'user', content: question }], options),
};

async function ask(client: OpenAI, input: ResponseInput, options: AskOptions): Promise<Heard> {
  const { signal, stream, onText } = options;
  const body = { model: 'm', input, tools: weatherTools };
  const response = stream
    ? await client.responses
        .stream(body, { signal })
        .on('response.output_text.delta', ({ delta }) => onText?.(delta))
        .finalResponse()
    : await client.responses.create(body, { signal });
  const called = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
  return {
    text: response.output_text,
    calls: called.map(({ name, arguments: args }) => ({ name, args: JSON.parse(args) })),
    finish: response.status ?? '',
    answer: (result) =>
      ask(
        client,
        [
          ...input,
          ...called.map(({ type, call_id, name, arguments: args }) => ({
            type,
            call_id,
            name,
            arguments: args,
          })),
          ...called.map(({ call_id }) => ({
            type: 'function_call_output' as const,
            call_id,
            output: result,
          })),
        ],
        options,
      ),
  };
}
