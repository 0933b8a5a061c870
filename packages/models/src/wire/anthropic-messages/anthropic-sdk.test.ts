import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { text, userMessage } from '@forge/core';
import { encodeSse } from '../../framing/index.ts';
import type { StreamEvent, WireReply, WireRequest } from '../wire.ts';
import type { WireError } from '../wire-error.ts';
import {
  countTokensPath,
  decodeCountTokensRequest,
  encodeTokenCount,
  anthropicMessages as wire,
} from './index.ts';

type Answer =
  | { readonly reply: WireReply }
  | { readonly events: readonly StreamEvent[] }
  | { readonly error: WireError };

let answer: Answer;
let heard: WireRequest | undefined;

/** A server of nothing but our codec. */
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.url === countTokensPath) {
    heard = decodeCountTokensRequest(JSON.parse(body));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(encodeTokenCount(42)));
    return;
  }
  assert.equal(request.url, wire.path({ model: '', stream: false }));
  heard = wire.decodeRequest(JSON.parse(body));
  if ('events' in answer) {
    assert.equal(heard.stream, true);
    response.setHeader('content-type', 'text/event-stream');
    const encoder = wire.createStreamEncoder();
    for (const event of answer.events) {
      for (const frame of encoder.push(event)) response.write(encodeSse(frame));
      response.write(encodeSse({ event: 'ping', data: '{"type":"ping"}' }));
    }
    response.end();
    return;
  }
  const { status, body: sent } =
    'error' in answer
      ? wire.encodeError(answer.error)
      : { status: 200, body: wire.encodeReply(answer.reply) };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(sent));
});

let client: Anthropic;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const baseURL = `http://127.0.0.1:${address.port}`;
  client = new Anthropic({ apiKey: 'test', baseURL, maxRetries: 0 });
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const ask = {
  model: 'claude-test-1',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'hi' }],
};
const usage = { inputTokens: 30, outputTokens: 5, cachedInputTokens: 20, reasoningTokens: 2 };
const start: StreamEvent = { type: 'start', id: 'msg_1', model: 'local', extra: {} };

test('the SDK reads a whole reply: thought, text, parallel calls, usage', async () => {
  answer = {
    reply: {
      id: 'msg_1',
      model: 'local',
      content: [
        { type: 'reasoning', text: 'hm', signature: 'sig' },
        text('Looking.'),
        { type: 'tool_call', id: 'toolu_a', name: 'look', args: '{"at":"Zürich"}' },
        { type: 'tool_call', id: 'toolu_b', name: 'look', args: { at: 'Bern' } },
      ],
      finish: 'tool_calls',
      usage,
      extra: { usage: { cache_creation_input_tokens: 4 } },
    },
  };
  const message = await client.messages.create(ask);
  assert.deepEqual(message.content, [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'text', text: 'Looking.' },
    { type: 'tool_use', id: 'toolu_a', name: 'look', input: { at: 'Zürich' } },
    { type: 'tool_use', id: 'toolu_b', name: 'look', input: { at: 'Bern' } },
  ]);
  assert.equal(message.stop_reason, 'tool_use');
  assert.deepEqual([message.id, message.model, message.role], ['msg_1', 'local', 'assistant']);
  assert.deepEqual(message.usage, {
    input_tokens: 6,
    cache_creation_input_tokens: 4,
    cache_read_input_tokens: 20,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 2 },
  });
});

test('the SDK hears a stream as it was meant', async () => {
  answer = {
    events: [
      start,
      { type: 'reasoning', text: 'First ' },
      { type: 'reasoning', text: 'this.' },
      { type: 'signature', signature: 'sig' },
      { type: 'text', text: 'Both ' },
      { type: 'text', text: 'at once 🌍' },
      { type: 'call', index: 0, id: 'toolu_a', name: 'look' },
      { type: 'args', index: 0, text: '{"at":"Zü' },
      { type: 'args', index: 0, text: 'rich"}' },
      { type: 'call', index: 1, id: 'toolu_b', name: 'look' },
      { type: 'args', index: 1, text: '{"at":"Bern"}' },
      { type: 'call', index: 2, id: 'toolu_c', name: 'clock' },
      { type: 'opaque', value: { type: 'redacted_thinking', data: 'x' } },
      { type: 'finish', finish: 'tool_calls', usage, extra: {} },
    ],
  };
  const said: string[] = [];
  const stream = client.messages.stream(ask).on('text', (piece) => said.push(piece));
  const message = await stream.finalMessage();
  assert.deepEqual(said, ['Both ', 'at once 🌍']);
  assert.deepEqual(message.content, [
    { type: 'thinking', thinking: 'First this.', signature: 'sig' },
    { type: 'text', text: 'Both at once 🌍', citations: null },
    { type: 'tool_use', id: 'toolu_a', name: 'look', input: { at: 'Zürich' } },
    { type: 'tool_use', id: 'toolu_b', name: 'look', input: { at: 'Bern' } },
    { type: 'tool_use', id: 'toolu_c', name: 'clock', input: {} },
    { type: 'redacted_thinking', data: 'x' },
  ]);
  assert.equal(message.stop_reason, 'tool_use');
  assert.deepEqual(message.usage, {
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 20,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 2 },
  });
});

test('the SDK puts late arguments where they belong', async () => {
  answer = {
    events: [
      start,
      { type: 'call', index: 0, id: 'toolu_a', name: 'look' },
      { type: 'args', index: 0, text: '{"at":' },
      { type: 'text', text: 'between' },
      { type: 'args', index: 0, text: '"Bern"}' },
      { type: 'finish', finish: 'tool_calls', extra: {} },
    ],
  };
  const message = await client.messages.stream(ask).finalMessage();
  const [call] = message.content;
  assert.deepEqual(call?.type === 'tool_use' && call.input, { at: 'Bern' });
});

test('the SDK knows each error', async () => {
  const cases: [WireError['kind'], number, string][] = [
    ['auth', 401, 'authentication_error'],
    ['bad_request', 400, 'invalid_request_error'],
    ['context_overflow', 400, 'invalid_request_error'],
    ['not_found', 404, 'not_found_error'],
    ['rate_limited', 429, 'rate_limit_error'],
    ['overloaded', 529, 'overloaded_error'],
    ['unavailable', 500, 'api_error'],
    ['timeout', 504, 'timeout_error'],
    ['bad_response', 502, 'api_error'],
    ['content_filter', 400, 'invalid_request_error'],
  ];
  for (const [kind, status, type] of cases) {
    answer = { error: { kind, message: 'because' } };
    await assert.rejects(client.messages.create(ask), (error) => {
      assert.ok(error instanceof APIError);
      assert.deepEqual([error.status, error.type], [status, type]);
      return /because/.test(error.message);
    });
  }
});

test('the SDK hears an error in the middle of a stream', async () => {
  const error: WireError = { kind: 'overloaded', message: 'busy' };
  answer = { events: [start, { type: 'text', text: 'Half a' }, { type: 'error', error }] };
  await assert.rejects(
    client.messages.stream(ask).finalMessage(),
    (thrown) => thrown instanceof APIError && thrown.type === 'overloaded_error',
  );
});

test('what the SDK asks, we hear', async () => {
  answer = { reply: { content: [text('ok')], finish: 'stop', extra: {} } };
  await client.messages.create({
    ...ask,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
          { type: 'text', text: 'What is this?' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_a', name: 'look', input: { at: 1 } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'a cat' }],
      },
    ],
    tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: 'u' },
  });
  const cached = { cache_control: { type: 'ephemeral' } };
  assert.deepEqual(heard, {
    model: 'claude-test-1',
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', provider: cached }] },
      {
        role: 'user',
        content: [
          { type: 'image', mediaType: 'image/png', source: { data: 'AA==' } },
          text('What is this?'),
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool_call', id: 'toolu_a', name: 'look', args: { at: 1 } }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool_result', callId: 'toolu_a', name: 'look', content: [text('a cat')] },
        ],
      },
    ],
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    toolChoice: 'auto',
    parallelToolCalls: false,
    settings: { maxTokens: 100 },
    reasoning: { budgetTokens: 1024 },
    stream: false,
    extra: { metadata: { user_id: 'u' } },
  });
});

test('the SDK has tokens counted', async () => {
  const { max_tokens: _, ...question } = ask;
  assert.deepEqual(await client.messages.countTokens(question), { input_tokens: 42 });
  assert.deepEqual(heard?.messages, [userMessage('hi')]);
});
