import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@forge/core';
import OpenAI from 'openai';
import { encodeSse } from '../../framing/index.ts';
import type { StreamEvent, WireReply, WireRequest } from '../wire.ts';
import type { WireError } from '../wire-error.ts';
import { createOpenaiResponses } from './index.ts';

type Answer =
  | { readonly reply: WireReply }
  | { readonly events: readonly StreamEvent[] }
  | { readonly error: WireError };

let ids = 0;
const wire = createOpenaiResponses({ newId: () => String(ids++), now: () => 1_700_000_000_000 });
let server: Server;
let client: OpenAI;
let answer: Answer;
let heard: WireRequest;

/** A server of ours, as the proxy would be: requests decoded, replies encoded, real bytes. */
before(async () => {
  server = createServer(async (request, response) => {
    assert.equal(request.url, `/v1${wire.path({ model: 'm', stream: false })}`);
    heard = wire.decodeRequest(JSON.parse(await bodyOf(request)));
    if ('error' in answer) {
      const { status, body } = wire.encodeError(answer.error);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    } else if ('reply' in answer) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(wire.encodeReply(answer.reply)));
    } else {
      response.setHeader('content-type', 'text/event-stream');
      const encoder = wire.createStreamEncoder();
      for (const event of answer.events) {
        for (const frame of encoder.push(event)) response.write(encodeSse(frame));
      }
      response.end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'k', maxRetries: 0 });
});

after(() => server.close());

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

const usage = { inputTokens: 30, outputTokens: 12, cachedInputTokens: 20, reasoningTokens: 5 };
const start: StreamEvent = { type: 'start', id: 'resp_1', model: 'm-1', extra: {} };

async function streamed(events: readonly StreamEvent[]) {
  answer = { events };
  const stream = client.responses.stream({ model: 'm', input: 'hi' });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  return { types, response: await stream.finalResponse() };
}

test('the SDK reads a plain reply with its usage', async () => {
  answer = {
    reply: {
      id: 'resp_1',
      model: 'm-1',
      content: [{ type: 'text', text: 'Hello' }],
      finish: 'stop',
      usage,
      extra: { metadata: { a: 'b' } },
    },
  };
  const response = await client.responses.create({
    model: 'm',
    instructions: 'Be kind.',
    input: 'hi',
    temperature: 0.5,
    store: false,
  });
  assert.equal(response.output_text, 'Hello');
  assert.equal(response.status, 'completed');
  assert.equal(response.id, 'resp_1');
  assert.equal(response.created_at, 1_700_000_000);
  assert.deepEqual(response.metadata, { a: 'b' });
  assert.equal(response.usage?.input_tokens_details.cached_tokens, 20);
  assert.equal(response.usage?.output_tokens_details.reasoning_tokens, 5);
  assert.equal(response.usage?.total_tokens, 42);
  assert.deepEqual(heard, {
    model: 'm',
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ],
    tools: [],
    toolChoice: 'auto',
    settings: { temperature: 0.5 },
    stream: false,
    extra: { store: false },
  } satisfies WireRequest);
});

test('the SDK reads reasoning and parallel calls in their order, and sends them back', async () => {
  const reply: WireReply = {
    id: 'resp_2',
    content: [
      { type: 'reasoning', text: 'Two towns.', signature: 'proof' },
      { type: 'tool_call', id: 'call_a', name: 'weather', args: '{"town":"A"}' },
      { type: 'tool_call', id: 'call_b', name: 'weather', args: { town: 'B' } },
    ],
    finish: 'tool_calls',
    extra: {},
  };
  answer = { reply };
  const first = await client.responses.create({ model: 'm', input: 'hi' });
  const [reasoning, a, b] = first.output;
  assert.ok(reasoning?.type === 'reasoning' && a?.type === 'function_call');
  assert.ok(b?.type === 'function_call');
  assert.equal(reasoning.summary[0]?.text, 'Two towns.');
  assert.equal(reasoning.encrypted_content, 'proof');
  assert.deepEqual([a.call_id, a.arguments], ['call_a', '{"town":"A"}']);
  assert.deepEqual([b.call_id, b.arguments], ['call_b', '{"town":"B"}']);

  await client.responses.create({
    model: 'm',
    input: [
      { role: 'user', content: 'hi' },
      ...first.output,
      { type: 'function_call_output', call_id: 'call_a', output: 'sun' },
      {
        type: 'function_call_output',
        call_id: 'call_b',
        output: [{ type: 'input_text', text: 'rain' }],
      },
    ] as OpenAI.Responses.ResponseInput,
  });
  assert.deepEqual(heard.messages, [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: 'Two towns.',
          signature: 'proof',
          provider: { 'openai-responses': { signed: true } },
        },
        { type: 'tool_call', id: 'call_a', name: 'weather', args: '{"town":"A"}' },
        { type: 'tool_call', id: 'call_b', name: 'weather', args: '{"town":"B"}' },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          callId: 'call_a',
          name: 'weather',
          content: [{ type: 'text', text: 'sun' }],
        },
        {
          type: 'tool_result',
          callId: 'call_b',
          name: 'weather',
          content: [{ type: 'text', text: 'rain' }],
        },
      ],
    },
  ]);
});

test('the SDK parses strict calls and structured output', async () => {
  answer = {
    reply: {
      content: [
        { type: 'text', text: '{"ok":true}' },
        { type: 'tool_call', id: 'c', name: 'f', args: '{"n":1}' },
      ],
      finish: 'tool_calls',
      extra: {},
    },
  };
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const parsed = await client.responses.parse({
    model: 'm',
    input: 'hi',
    text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
    tools: [{ type: 'function', name: 'f', parameters: schema, strict: true }],
    tool_choice: { type: 'function', name: 'f' },
  });
  const call = parsed.output[1];
  assert.ok(call?.type === 'function_call');
  assert.deepEqual(call.parsed_arguments, { n: 1 });
  assert.deepEqual(heard.responseFormat, {
    type: 'json_schema',
    name: 'answer',
    schema,
    strict: true,
  });
  assert.deepEqual(heard.toolChoice, { tool: 'f' });
});

test('the SDK reads a cut reply', async () => {
  answer = {
    reply: { content: [{ type: 'text', text: 'Hel' }], finish: 'length', extra: {} },
  };
  const response = await client.responses.create({ model: 'm', input: 'hi' });
  assert.equal(response.status, 'incomplete');
  assert.equal(response.incomplete_details?.reason, 'max_output_tokens');
});

test('the SDK accumulates streamed text', async () => {
  const { types, response } = await streamed([
    start,
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'finish', finish: 'stop', usage, extra: {} },
  ]);
  assert.deepEqual(types, [
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  assert.equal(response.output_text, 'Hello');
  assert.equal(response.model, 'm-1');
  assert.equal(response.usage?.total_tokens, 42);
});

test('the SDK accumulates reasoning, text mixed with arguments, and parallel calls', async () => {
  const { response } = await streamed([
    start,
    { type: 'reasoning', text: 'Let ' },
    { type: 'reasoning', text: 'me see.' },
    { type: 'signature', signature: 'proof' },
    { type: 'reasoning', text: '' },
    { type: 'signature', signature: 'second' },
    { type: 'call', index: 0, id: 'call_a', name: 'f' },
    { type: 'args', index: 0, text: '{"a"' },
    { type: 'text', text: 'Wait.' },
    { type: 'args', index: 0, text: ':1}' },
    { type: 'call', index: 1, id: 'call_b', name: 'g' },
    { type: 'args', index: 1, text: '{}' },
    { type: 'opaque', value: { type: 'web_search_call', id: 'ws_1', status: 'completed' } },
    { type: 'finish', finish: 'tool_calls', extra: {} },
  ]);
  const output = response.output.map((item): JsonObject => {
    if (item.type === 'reasoning') {
      return { text: item.summary.map((one) => one.text), proof: item.encrypted_content ?? '' };
    }
    if (item.type === 'function_call') {
      return { call: item.call_id, name: item.name, arguments: item.arguments };
    }
    return { type: item.type };
  });
  assert.deepEqual(output, [
    { text: ['Let me see.'], proof: 'proof' },
    { text: [], proof: 'second' },
    { call: 'call_a', name: 'f', arguments: '{"a":1}' },
    { type: 'message' },
    { call: 'call_b', name: 'g', arguments: '{}' },
    { type: 'web_search_call' },
  ]);
  assert.equal(response.output_text, 'Wait.');
});

test('the SDK is not confused by calls and items that share an id', async () => {
  const { response } = await streamed([
    start,
    { type: 'call', index: 0, id: 'same', name: 'f', provider: fc('same') },
    { type: 'call', index: 1, id: 'same', name: 'g', provider: fc('same') },
    { type: 'finish', finish: 'tool_calls', extra: {} },
  ]);
  const ids = response.output.map((item) => (item.type === 'function_call' ? item.call_id : ''));
  assert.equal(ids[0], 'same');
  assert.equal(new Set(ids).size, 2);
});

function fc(id: string): JsonObject {
  return { 'openai-responses': { item: { id } } };
}

test('the SDK reads a streamed reply that was cut', async () => {
  const { types, response } = await streamed([
    start,
    { type: 'text', text: 'Hel' },
    { type: 'finish', finish: 'length', extra: {} },
  ]);
  assert.equal(types.at(-1), 'response.incomplete');
  assert.equal(response.incomplete_details?.reason, 'max_output_tokens');
  assert.equal(response.output_text, 'Hel');
});

test('the SDK raises an error that comes in the middle of a stream', async () => {
  answer = {
    events: [
      start,
      { type: 'text', text: 'Hel' },
      { type: 'error', error: { kind: 'rate_limited', message: 'Slow down.' } },
    ],
  };
  const stream = await client.responses.create({ model: 'm', input: 'hi', stream: true });
  await assert.rejects(
    async () => {
      for await (const _ of stream);
    },
    (error) => error instanceof OpenAI.APIError && error.code === 'rate_limit_exceeded',
  );
  assert.equal(heard.stream, true);
});

test('the SDK raises the exception of each kind of error', async () => {
  const expected = [
    ['auth', OpenAI.AuthenticationError],
    ['bad_request', OpenAI.BadRequestError],
    ['context_overflow', OpenAI.BadRequestError],
    ['not_found', OpenAI.NotFoundError],
    ['rate_limited', OpenAI.RateLimitError],
    ['overloaded', OpenAI.InternalServerError],
  ] as const;
  for (const [kind, exception] of expected) {
    answer = { error: { kind, message: 'No.' } };
    await assert.rejects(client.responses.create({ model: 'm', input: 'hi' }), exception);
  }
});
