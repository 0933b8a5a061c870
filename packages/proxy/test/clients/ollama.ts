import { type Message, Ollama } from 'ollama';
import { type AskOptions, type Heard, question, type Voice, weather } from './voice.ts';

const { name, description, parameters } = weather;
const tools = [
  {
    type: 'function',
    function: { name, description, parameters: { ...parameters, required: ['city', 'days'] } },
  },
];

/** The `ollama` package. */
export const ollamaVoice: Voice = {
  name: 'ollama',
  finishOfCalls: 'stop',
  ask: (url, options) => ask(url, [{ role: 'user', content: question }], options),
};

async function ask(url: string, messages: readonly Message[], options: AskOptions): Promise<Heard> {
  const { signal, stream, onText } = options;
  // It has no way of its own to leave a request before its head has come.
  const client = new Ollama({
    host: url,
    fetch: (input, init) => {
      const signals = [init?.signal, signal].flatMap((each) => each ?? []);
      return fetch(input, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  const body = { model: 'm', messages: [...messages], tools };
  const message: Message = { role: 'assistant', content: '', tool_calls: [] };
  let finish = '';
  const take = (said: Message, reason?: string) => {
    message.content += said.content;
    message.tool_calls?.push(...(said.tool_calls ?? []));
    finish = reason ?? finish;
  };
  if (stream) {
    for await (const part of await client.chat({ ...body, stream })) {
      take(part.message, part.done_reason);
      if (part.message.content !== '') onText?.(part.message.content);
    }
  } else {
    const whole = await client.chat(body);
    take(whole.message, whole.done_reason);
  }
  return {
    text: message.content,
    calls: (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
      name,
      args,
    })),
    finish,
    answer: (result) =>
      ask(
        url,
        [
          ...messages,
          message,
          ...(message.tool_calls ?? []).map((call) => ({
            role: 'tool',
            tool_name: call.function.name,
            content: result,
          })),
        ],
        options,
      ),
  };
}
