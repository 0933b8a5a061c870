import { type Content, GoogleGenAI, type Part } from '@google/genai';
import { type AskOptions, type Heard, question, type Voice, weather } from './voice.ts';

const { name, description, parameters } = weather;
const tools = [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }];

export function geminiAt(url: string): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: 'key',
    httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } },
  });
}

/** The `@google/genai` package. */
export const geminiVoice: Voice = {
  name: '@google/genai',
  finishOfCalls: 'STOP',
  ask: (url, options) =>
    ask(geminiAt(url), [{ role: 'user', parts: [{ text: question }] }], options),
};

async function ask(
  client: GoogleGenAI,
  contents: readonly Content[],
  options: AskOptions,
): Promise<Heard> {
  const { signal, stream, onText } = options;
  const body = { model: 'm', contents: [...contents], config: { tools, abortSignal: signal } };
  const chunks = stream
    ? await client.models.generateContentStream(body)
    : [await client.models.generateContent(body)];
  const parts: Part[] = [];
  let finish = '';
  for await (const { candidates } of chunks) {
    for (const part of candidates?.[0]?.content?.parts ?? []) {
      parts.push(part);
      if (part.text) onText?.(part.text);
    }
    finish = candidates?.[0]?.finishReason ?? finish;
  }
  const called = parts.flatMap(({ functionCall }) => functionCall ?? []);
  return {
    text: parts.map(({ text = '' }) => text).join(''),
    calls: called.map(({ name = '', args }) => ({ name, args })),
    finish,
    answer: (result) =>
      ask(
        client,
        [
          ...contents,
          { role: 'model', parts },
          {
            role: 'user',
            parts: called.map(({ id, name }) => ({
              functionResponse: { id, name, response: { output: result } },
            })),
          },
        ],
        options,
      ),
  };
}
