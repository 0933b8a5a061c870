import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { type AskOptions, type Heard, question, type Voice, weather } from './voice.ts';

const { name, description, parameters } = weather;
export const chatFunction = {
  name,
  description,
  parameters: { ...parameters, required: [...parameters.required] },
};
export const chatTools = [{ type: 'function' as const, function: chatFunction }];

export function openaiAt(url: string, options: { maxRetries?: number } = {}): OpenAI {
  return new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0, ...options });
}

/** The `openai` package, chat completions. */
export const openaiChatVoice: Voice = {
  name: 'openai (chat)',
  finishOfCalls: 'tool_calls',
  ask: (url, options) => ask(openaiAt(url), [{ role: 'user', content: question }], options),
};

async function ask(
  client: OpenAI,
  messages: readonly ChatCompletionMessageParam[],
  options: AskOptions,
): Promise<Heard> {
  const { signal, stream, onText } = options;
  const body = { model: 'm', messages: [...messages], tools: chatTools };
  let completion: ChatCompletion;
  if (stream) {
    const streamed = client.chat.completions.stream(body, { signal });
    if (onText) streamed.on('content', onText);
    completion = await streamed.finalChatCompletion();
  } else {
    completion = await client.chat.completions.create(body, { signal });
  }
  const [choice] = completion.choices;
  if (choice === undefined) throw new Error('There is no choice.');
  const called = (choice.message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [call] : [],
  );
  return {
    text: choice.message.content ?? '',
    calls: called.map(({ function: { name, arguments: args } }) => ({
      name,
      args: JSON.parse(args),
    })),
    finish: choice.finish_reason,
    answer: (result) =>
      ask(
        client,
        [
          ...messages,
          choice.message,
          ...called.map(({ id }) => ({
            role: 'tool' as const,
            tool_call_id: id,
            content: result,
          })),
        ],
        options,
      ),
  };
}
