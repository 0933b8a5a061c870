import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { encodeSse } from '../../framing/index.ts';
import type { StreamEvent, WireReply, WireRequest } from '../wire.ts';
import type { WireError } from '../wire-error.ts';
import { openaiChat } from './openai-chat.ts';

/** What the server does next, and the request it read. */
let answer: { reply: WireReply } | { stream: StreamEvent[] } | { error: WireError };
let request: WireRequest;

async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const piece of incoming.setEncoding('utf8')) body += piece;
  request = openaiChat.decodeRequest(JSON.parse(body));
  if ('error' in answer) {
    const { status, body: failure } = openaiChat.encodeError(answer.error);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(failure));
  } else if ('reply' in answer) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(openaiChat.encodeReply(answer.reply)));
  } else {
    const encoder = openaiChat.createStreamEncoder();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answer.stream) {
      for (const frame of encoder.push(event)) response.write(encodeSse(frame));
    }
    response.end();
  }
}

const server = createServer((incoming, response) => void serve(incoming, response));
let client: OpenAI;

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const baseURL = `http://127.0.0.1:${address.port}/v1`;
  client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
});

after(() => {
  server.closeAllConnections();
  server.close();
});

const messages = [{ role: 'user' as const, content: 'Hi' }];
const usage = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 8, reasoningTokens: 2 };

test('the SDK sees a plain reply', async () => {
  answer = {
    reply: {
      id: 'r1',
      model: 'm1',
      content: [
        { type: 'reasoning', text: 'Easy.' },
        { type: 'text', text: 'Hello' },
      ],
      finish: 'stop',
      usage,
      extra: {},
    },
  };
  const reply = await client.chat.completions.create({ model: 'm1', messages });
  assert.deepEqual([reply.id, reply.model, reply.object], ['r1', 'm1', 'chat.completion']);
  assert.ok(reply.created > 0);
  assert.deepEqual(reply.choices[0], {
    index: 0,
    logprobs: null,
    finish_reason: 'stop',
    message: { role: 'assistant', refusal: null, content: 'Hello', reasoning_content: 'Easy.' },
  });
  assert.deepEqual(reply.usage, {
    prompt_tokens: 10,
    completion_tokens: 4,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 2 },
  });
});

test('the SDK sees tool calls, and its answer to them is read', async () => {
  answer = {
    reply: {
      content: [
        { type: 'tool_call', id: 'c1', name: 'add', args: { a: 1 } },
        { type: 'tool_call', id: 'c2', name: 'now', args: '' },
      ],
      finish: 'tool_calls',
      extra: {},
    },
  };
  const tools = [
    { type: 'function' as const, function: { name: 'add', parameters: { type: 'object' } } },
  ];
  const first = await client.chat.completions.create({
    model: 'm1',
    messages,
    tools,
    tool_choice: { type: 'function', function: { name: 'add' } },
    parallel_tool_calls: false,
    max_completion_tokens: 100,
    stop: 'END',
    reasoning_effort: 'low',
    response_format: { type: 'json_object' },
  });
  assert.deepEqual(request.tools, [
    { name: 'add', description: '', inputSchema: { type: 'object' } },
  ]);
  assert.deepEqual(request.toolChoice, { tool: 'add' });
  assert.equal(request.parallelToolCalls, false);
  assert.deepEqual(request.settings, { stop: ['END'], maxTokens: 100 });
  assert.deepEqual(request.reasoning, { effort: 'low' });
  assert.deepEqual(request.responseFormat, { type: 'json' });
  assert.deepEqual(request.extra, {});

  const said = first.choices[0]?.message;
  assert.equal(said?.content, null);
  const texts = said?.tool_calls?.map(
    (call) => call.type === 'function' && call.function.arguments,
  );
  assert.deepEqual(texts, ['{"a":1}', '{}']);
  assert.ok(said);
  answer = { reply: { content: [{ type: 'text', text: '3' }], finish: 'stop', extra: {} } };
  await client.chat.completions.create({
    model: 'm1',
    messages: [
      ...messages,
      said,
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'two' }] },
      { role: 'tool', tool_call_id: 'c2', content: 'noon' },
    ],
  });
  assert.deepEqual(request.messages.slice(1), [
    {
      role: 'assistant',
      content: [
        { type: 'tool_call', id: 'c1', name: 'add', args: '{"a":1}' },
        { type: 'tool_call', id: 'c2', name: 'now', args: '{}' },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          callId: 'c1',
          name: 'add',
          content: [{ type: 'text', text: 'two' }],
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          callId: 'c2',
          name: 'now',
          content: [{ type: 'text', text: 'noon' }],
        },
      ],
    },
  ]);
});

test('the SDK puts a streamed reply together: text, reasoning, parallel calls, usage', async () => {
  answer = {
    stream: [
      { type: 'start', id: 's1', model: 'm1', extra: {} },
      { type: 'reasoning', text: 'Both.' },
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'moment' },
      { type: 'call', index: 0, id: 'c1', name: 'add' },
      { type: 'args', index: 0, text: '{"a":' },
      { type: 'args', index: 0, text: '1}' },
      { type: 'call', index: 1, id: 'c2', name: 'now' },
      { type: 'finish', finish: 'tool_calls', usage, extra: {} },
    ],
  };
  const stream = client.chat.completions.stream({ model: 'm1', messages });
  let thought = '';
  for await (const chunk of stream) {
    const delta: object = chunk.choices[0]?.delta ?? {};
    if ('reasoning_content' in delta) thought += delta.reasoning_content;
  }
  assert.equal(thought, 'Both.');
  assert.equal(request.stream, true);
  const reply = await stream.finalChatCompletion();
  assert.equal(reply.id, 's1');
  const choice = reply.choices[0];
  assert.equal(choice?.finish_reason, 'tool_calls');
  assert.equal(choice?.message.content, 'One moment');
  assert.deepEqual(
    choice?.message.tool_calls?.map((call) => [
      call.id,
      call.type === 'function' && call.function.name,
      call.type === 'function' && call.function.arguments,
    ]),
    [
      ['c1', 'add', '{"a":1}'],
      ['c2', 'now', '{}'],
    ],
  );
  assert.equal(reply.usage?.prompt_tokens_details?.cached_tokens, 8);
});

test('the SDK sees a refusal', async () => {
  answer = {
    reply: {
      content: [{ type: 'text', text: 'No.', provider: { 'openai-chat': { refusal: true } } }],
      finish: 'stop',
      extra: {},
    },
  };
  const reply = await client.chat.completions.create({ model: 'm1', messages });
  assert.equal(reply.choices[0]?.message.refusal, 'No.');
  assert.equal(reply.choices[0]?.message.content, null);
});

const failures: [WireError['kind'], new (...args: never[]) => Error, string | null][] = [
  ['auth', OpenAI.AuthenticationError, 'invalid_api_key'],
  ['bad_request', OpenAI.BadRequestError, null],
  ['context_overflow', OpenAI.BadRequestError, 'context_length_exceeded'],
  ['not_found', OpenAI.NotFoundError, 'model_not_found'],
  ['rate_limited', OpenAI.RateLimitError, 'rate_limit_exceeded'],
  ['overloaded', OpenAI.InternalServerError, 'overloaded'],
];

for (const [kind, raised, code] of failures) {
  test(`the SDK raises ${raised.name} for ${kind}`, async () => {
    answer = { error: { kind, message: 'Sorry' } };
    const call = client.chat.completions.create({ model: 'm1', messages });
    const isRight = (error: unknown) =>
      error instanceof raised &&
      error instanceof OpenAI.APIError &&
      error.code === code &&
      error.message.includes('Sorry');
    await assert.rejects(call, isRight);
  });
}

test('the SDK raises an error that comes in the middle of a stream', async () => {
  answer = {
    stream: [
      { type: 'start', extra: {} },
      { type: 'text', text: 'Wait' },
      { type: 'error', error: { kind: 'overloaded', message: 'Too busy' } },
    ],
  };
  const stream = await client.chat.completions.create({ model: 'm1', messages, stream: true });
  let text = '';
  const read = async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  };
  await assert.rejects(read, (error: unknown) => {
    return error instanceof OpenAI.APIError && error.message.includes('Too busy');
  });
  assert.equal(text, 'Wait');
});
