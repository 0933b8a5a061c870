import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, ToolSpec } from '@forge/core';
import { ModelError } from '../model-error.ts';
import type { WireRequest } from '../wire.ts';
import { ollama } from './index.ts';

const empty: WireRequest = {
  model: 'qwen3:8b',
  messages: [],
  tools: [],
  toolChoice: 'auto',
  settings: {},
  stream: true,
  extra: {},
};
const get: ToolSpec = {
  name: 'get',
  description: 'Gets.',
  inputSchema: { type: 'object', properties: {} },
};

function messagesOf(messages: Message[]) {
  return ollama.encodeRequest({ ...empty, messages }).messages;
}

test('streams unless it is told not to, as Ollama does', () => {
  assert.equal(ollama.decodeRequest({ model: 'a' }).stream, true);
  assert.equal(ollama.decodeRequest({ model: 'a', stream: false }).stream, false);
});

test('takes null where a field could be absent', () => {
  const body = {
    model: 'qwen3:8b',
    messages: [{ role: 'user', content: null, images: null, tool_calls: null }],
    tools: null,
    options: null,
    format: null,
    think: null,
    stream: null,
  };
  assert.deepEqual(ollama.decodeRequest(body), {
    ...empty,
    messages: [{ role: 'user', content: [] }],
  });
});

test('keeps the choice of no tool by sending none', () => {
  assert.equal(
    ollama.encodeRequest({ ...empty, tools: [get], toolChoice: 'none' }).tools,
    undefined,
  );
  const body = ollama.encodeRequest({ ...empty, tools: [get], toolChoice: { tool: 'get' } });
  assert.deepEqual(body.tools, [
    {
      type: 'function',
      function: {
        name: 'get',
        description: 'Gets.',
        parameters: { type: 'object', properties: {} },
      },
    },
  ]);
});

test('fits parameters to the shape Ollama reads them into', () => {
  const parameters = (inputSchema: ToolSpec['inputSchema']) => {
    const body = ollama.encodeRequest({ ...empty, tools: [{ ...get, inputSchema }] });
    return JSON.parse(JSON.stringify(body)).tools[0].function.parameters;
  };
  const bare = { type: 'object', properties: {} };
  assert.deepEqual(parameters(true), bare);
  assert.deepEqual(parameters({}), bare);
  assert.deepEqual(parameters({ type: ['object', 'null'], properties: { any: true } }), {
    type: 'object',
    properties: { any: {} },
  });
});

test('ties results to calls by name, by id, or by being next', () => {
  const call = (id: string, name: string) => ({ id, function: { name, arguments: {} } });
  const { messages } = ollama.decodeRequest({
    messages: [
      {
        role: 'assistant',
        content: '',
        tool_calls: [call('a', 'get'), call('b', 'put'), call('c', 'end')],
      },
      { role: 'tool', content: '1', tool_name: 'put' },
      { role: 'tool', content: '2', tool_call_id: 'a' },
      { role: 'tool', content: '3' },
      { role: 'tool', content: '4', tool_name: 'odd' },
    ],
  });
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  assert.deepEqual(
    results.map(({ callId, name }) => [callId, name]),
    [
      ['b', 'put'],
      ['a', 'get'],
      ['c', 'end'],
      ['odd_0', 'odd'],
    ],
  );
});

test('sends each result by itself, with its id only if Ollama gave it', () => {
  const result = (callId: string) => ({
    type: 'tool_result' as const,
    callId,
    name: 'get',
    content: [{ type: 'text' as const, text: callId }],
    isError: true,
  });
  const messages = messagesOf([
    {
      role: 'assistant',
      content: [
        { type: 'tool_call', id: 'a', name: 'get', args: 'no json' },
        {
          type: 'tool_call',
          id: 'get_1',
          name: 'get',
          args: {},
          provider: { ollama: { generatedId: true } },
        },
      ],
    },
    { role: 'tool', content: [result('a'), result('get_1')] },
  ]);
  assert.deepEqual(messages, [
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', function: { index: 0, name: 'get', arguments: {} } },
        { function: { index: 1, name: 'get', arguments: {} } },
      ],
    },
    { role: 'tool', content: 'a', tool_name: 'get', tool_call_id: 'a' },
    { role: 'tool', content: 'get_1', tool_name: 'get' },
  ]);
});

test('names an image it would have to fetch, and unpacks one in its address', () => {
  const image = (url: string) => ({
    type: 'image' as const,
    mediaType: 'image/png',
    source: { url },
  });
  const messages = messagesOf([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        image('https://pictures.example/cat.png'),
        image('data:image/png;base64,AAAA'),
      ],
    },
  ]);
  assert.deepEqual(messages, [
    {
      role: 'user',
      content: 'Look\n[image: https://pictures.example/cat.png]',
      images: ['AAAA'],
    },
  ]);
});

test('reads parts where other APIs have them, and gives unknown ones back', () => {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'sound', data: 'AAAA' },
  ];
  const request = ollama.decodeRequest({ messages: [{ role: 'User', content }] });
  assert.deepEqual(request.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'opaque', wire: 'ollama', value: { type: 'sound', data: 'AAAA' } },
      ],
    },
  ]);
  assert.deepEqual(messagesOf([...request.messages]), [{ role: 'user', content }]);
});

test('asks for thinking in the words Ollama has', () => {
  for (const [reasoning, think] of [
    [{}, true],
    [{ effort: 'none' }, false],
    [{ effort: 'minimal' }, 'low'],
    [{ effort: 'high' }, 'high'],
    [{ effort: 'xhigh' }, 'max'],
    [{ effort: 'wild' }, true],
    [{ budgetTokens: 100 }, true],
    [{ budgetTokens: 0 }, false],
  ] as const) {
    assert.equal(ollama.encodeRequest({ ...empty, reasoning }).think, think);
  }
  assert.equal(ollama.encodeRequest(empty).think, undefined);
});

test('does not take "no limit" for a number of tokens', () => {
  const request = ollama.decodeRequest({ options: { num_predict: -1, top_k: '40', stop: 'END' } });
  assert.deepEqual(request.settings, { topK: 40, stop: ['END'] });
  assert.deepEqual(ollama.encodeRequest(request).options, {
    num_predict: -1,
    top_k: 40,
    stop: ['END'],
  });
});

test('carries what it has no word for', () => {
  const body = {
    model: 'a',
    messages: [{ role: 'user', content: 'hi', mood: 'good' }],
    stream: false,
    tools: [
      {
        type: 'function',
        cached: true,
        function: {
          name: 'get',
          description: 'Gets.',
          strict: true,
          parameters: { type: 'object', properties: {} },
        },
      },
    ],
    options: { num_ctx: 4096, num_gpu: 1 },
    keep_alive: -1,
    truncate: false,
  };
  assert.deepEqual(ollama.encodeRequest(ollama.decodeRequest(body)), body);
});

test('says where a request is wrong', () => {
  for (const [body, told] of [
    [3, /body/],
    [{ messages: 'hi' }, /messages/],
    [{ messages: [3] }, /messages\.0/],
    [{ messages: [{ role: 'robot' }] }, /"robot"/],
    [{ options: { temperature: 'hot' } }, /options\.temperature/],
  ] as const) {
    assert.throws(
      () => ollama.decodeRequest(body),
      (error) =>
        error instanceof ModelError && error.kind === 'bad_request' && told.test(error.message),
    );
  }
});
