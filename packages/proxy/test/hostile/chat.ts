import type { Behaviour } from './odd-backend.ts';

/** A tool of the usual kind. */
export const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
} as const;

/** A tool with this schema. */
export function toolWith(parameters: unknown, name = 'weather'): unknown {
  return { type: 'function', function: { name, parameters } };
}

export const user = { role: 'user', content: 'How is the weather in Oslo?' } as const;

/** A request in OpenAI's words. */
export function chat(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: 'm', messages: [user], tools: [weather], ...fields };
}

/** What a backend says when it calls `weather` for Oslo. */
export const oslo = '{"city":"Oslo"}';

export function callOf(args: unknown = oslo, name: unknown = 'weather', id: unknown = 'call_1') {
  return { id, type: 'function', function: { name, arguments: args } };
}

export function completion(
  message: Readonly<Record<string, unknown>>,
  finish = message.tool_calls === undefined ? 'stop' : 'tool_calls',
): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
}

export const called = completion({ content: null, tool_calls: [callOf()] });
export const answered = completion({ content: 'Fine.' });

export function chunk(delta: unknown, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

export const done = 'data: [DONE]\n\n';

/** The frames of a stream that calls `weather`, the arguments in two pieces. */
export const calledStream: readonly string[] = [
  chunk({ role: 'assistant', content: null }),
  chunk({ tool_calls: [{ index: 0, ...callOf('{"city"') }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':"Oslo"}' } }] }),
  chunk({}, 'tool_calls'),
  done,
];

export const answeredStream: readonly string[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'It is ' }),
  chunk({ content: 'fine.' }),
  chunk({}, 'stop'),
  done,
];

/** Does what it is asked: streams if it should, calls a tool if there is one. */
export const usual: Behaviour = ({ request, body, response }) => {
  if (request.method !== 'POST' || !request.url?.includes('/chat/completions')) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"No such path.","type":"not_found"}}');
    return;
  }
  const asked = read(body);
  const hasTools = Array.isArray(asked.tools) && asked.tools.length > 0;
  if (asked.stream === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end((hasTools ? calledStream : answeredStream).join(''));
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(hasTools ? called : answered));
  }
};

function read(body: string): { readonly stream?: unknown; readonly tools?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}
