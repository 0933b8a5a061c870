import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ChatResponse, Ollama } from 'ollama';
import { startWireServer } from '../shared/wire-server.test.ts';
import type { StreamEvent } from '../wire.ts';
import { createOllama } from './index.ts';

/** Ollama's own client against our encoders. */

const model = 'qwen3:8b';
const start: StreamEvent = { type: 'start', model, extra: {} };
let server: Awaited<ReturnType<typeof startWireServer>>;
let client: Ollama;

before(async () => {
  server = await startWireServer(createOllama({ now: () => 0 }), () => ({}));
  client = new Ollama({ host: server.url });
});
after(() => server.stop());

async function hear(): Promise<ChatResponse[]> {
  const heard: ChatResponse[] = [];
  const messages = [{ role: 'user', content: 'Hi' }];
  for await (const part of await client.chat({ model, messages, stream: true })) heard.push(part);
  return heard;
}

test('the client reads a plain reply and its counts', async () => {
  server.willAnswer({
    reply: {
      model,
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Hello.' },
      ],
      finish: 'stop',
      usage: { inputTokens: 10, outputTokens: 7 },
      extra: { total_duration: 5 },
    },
  });
  const reply = await client.chat({ model, messages: [{ role: 'user', content: 'Hi' }] });
  assert.deepEqual(reply, {
    model,
    created_at: '1970-01-01T00:00:00.000Z',
    message: { role: 'assistant', content: 'Hello.', thinking: 'Hm.' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 10,
    eval_count: 7,
    total_duration: 5,
  });
});

test('what the client asks for is understood', async () => {
  server.willAnswer({ reply: { model, content: [], finish: 'stop', extra: {} } });
  await client.chat({
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look', images: ['/9j/AAAA'] },
      {
        role: 'assistant',
        content: '',
        thinking: 'Hm.',
        tool_calls: [{ function: { name: 'see', arguments: { deep: true } } }],
      },
      { role: 'tool', content: 'a cat', tool_name: 'see' },
    ],
    tools: [
      {
        type: 'function',
        function: {
          name: 'see',
          description: 'Looks.',
          parameters: { type: 'object', properties: { deep: { type: 'boolean' } } },
        },
      },
    ],
    format: 'json',
    think: 'high',
    keep_alive: '5m',
    options: { temperature: 0.5, num_ctx: 8192, num_predict: 99, stop: ['END'] },
  });
  assert.deepEqual(server.heard.at(-1), {
    model,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', mediaType: 'image/jpeg', source: { data: '/9j/AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          {
            type: 'tool_call',
            id: 'see_0',
            name: 'see',
            args: { deep: true },
            provider: { ollama: { generatedId: true } },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            callId: 'see_0',
            name: 'see',
            content: [{ type: 'text', text: 'a cat' }],
          },
        ],
      },
    ],
    tools: [
      {
        name: 'see',
        description: 'Looks.',
        inputSchema: { type: 'object', properties: { deep: { type: 'boolean' } } },
      },
    ],
    toolChoice: 'auto',
    settings: { temperature: 0.5, maxTokens: 99, stop: ['END'] },
    responseFormat: { type: 'json' },
    reasoning: { effort: 'high' },
    stream: false,
    extra: { keep_alive: '5m', options: { num_ctx: 8192 } },
  });
});

test('the client reads parallel calls', async () => {
  server.willAnswer({
    reply: {
      model,
      content: [
        { type: 'tool_call', id: 'c1', name: 'see', args: '{"at":1}' },
        { type: 'tool_call', id: 'c2', name: 'hear', args: {} },
      ],
      finish: 'tool_calls',
      extra: {},
    },
  });
  const reply = await client.chat({ model, messages: [{ role: 'user', content: 'Hi' }] });
  assert.deepEqual(reply.message.tool_calls, [
    { id: 'c1', function: { index: 0, name: 'see', arguments: { at: 1 } } },
    { id: 'c2', function: { index: 1, name: 'hear', arguments: {} } },
  ]);
  assert.equal(reply.done_reason, 'stop');
});

test('the client hears streamed words, thoughts and the end', async () => {
  server.willAnswer({
    events: [
      start,
      { type: 'reasoning', text: 'Hm' },
      { type: 'signature', signature: 'unsayable' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo\n.' },
      { type: 'finish', finish: 'length', usage: { inputTokens: 3, outputTokens: 2 }, extra: {} },
    ],
  });
  const heard = await hear();
  assert.equal(server.heard.at(-1)?.stream, true);
  assert.deepEqual(
    heard.map(({ message }) => [message.thinking, message.content]),
    [
      ['Hm', ''],
      [undefined, 'Hel'],
      [undefined, 'lo\n.'],
      [undefined, ''],
    ],
  );
  assert.equal(heard.at(-1)?.done_reason, 'length');
  assert.equal(heard.at(-1)?.eval_count, 2);
});

test('the client hears streamed parallel calls', async () => {
  server.willAnswer({
    events: [
      start,
      { type: 'call', index: 0, id: 'c1', name: 'see' },
      { type: 'args', index: 0, text: '{"at"' },
      { type: 'args', index: 0, text: ':1}' },
      { type: 'call', index: 1, id: 'c2', name: 'hear' },
      { type: 'args', index: 1, text: '{}' },
      { type: 'finish', finish: 'tool_calls', extra: {} },
    ],
  });
  const calls = (await hear()).flatMap(({ message }) => message.tool_calls ?? []);
  assert.deepEqual(
    calls.map((call) => call.function),
    [
      { index: 0, name: 'see', arguments: { at: 1 } },
      { index: 1, name: 'hear', arguments: {} },
    ],
  );
});

test('the client throws what the server could not do', async () => {
  server.willAnswer({ error: { kind: 'not_found', message: "model 'qwen3:8b' not found" } });
  const messages = [{ role: 'user', content: 'Hi' }];
  await assert.rejects(client.chat({ model, messages }), {
    status_code: 404,
    message: "model 'qwen3:8b' not found",
  });
});

test('the client throws an error in the middle of a stream', async () => {
  server.willAnswer({
    events: [
      start,
      { type: 'text', text: 'Hel' },
      { type: 'error', error: { kind: 'unavailable', message: 'The runner died.' } },
    ],
  });
  await assert.rejects(hear(), { message: 'The runner died.' });
});
