import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@forge/core';
import { ModelError } from '../model-error.ts';
import type { WireRequest } from '../wire.ts';
import { createOpenaiChat, openaiChat } from './openai-chat.ts';

function read(messages: unknown[], more: object = {}): WireRequest {
  return openaiChat.decodeRequest({ model: 'm', messages, ...more });
}

function write(request: Partial<WireRequest>, wire = openaiChat) {
  return wire.encodeRequest({
    model: 'm',
    messages: [],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    stream: false,
    extra: {},
    ...request,
  });
}

test('takes null for everything that may be left out', () => {
  const request = read([{ role: 'user', content: null }], {
    tools: null,
    tool_choice: null,
    parallel_tool_calls: null,
    functions: null,
    function_call: null,
    temperature: null,
    stop: null,
    max_tokens: null,
    response_format: null,
    reasoning_effort: null,
    reasoning: null,
    stream: null,
    model: null,
  });
  assert.deepEqual(request, {
    model: '',
    messages: [{ role: 'user', content: [] }],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    stream: false,
    extra: {},
  });
});

test('takes hints for what the body does not say', () => {
  const hints = { model: 'h', stream: true };
  const { model, stream } = openaiChat.decodeRequest({ messages: [] }, hints);
  assert.deepEqual({ model, stream }, hints);
});

test('says where a request is wrong', () => {
  const wrong = (body: unknown, where: RegExp) =>
    assert.throws(
      () => openaiChat.decodeRequest(body),
      (error: unknown) =>
        error instanceof ModelError && error.kind === 'bad_request' && where.test(error.message),
    );
  wrong(undefined, /body/);
  wrong([], /body/);
  wrong({}, /messages/);
  wrong({ messages: [{ role: 'user', content: 5 }] }, /messages\.0\.content/);
  wrong({ messages: [{ role: 'wizard' }] }, /messages\.0\.role/);
  wrong({ messages: [], temperature: 'hot' }, /temperature/);
  wrong({ messages: [], tools: [{ type: 'function', function: {} }] }, /tools\.0/);
});

test('keeps a developer message, names and unknown fields of messages', () => {
  const messages = [
    { role: 'developer', content: 'Be kind.' },
    { role: 'user', name: 'ann', content: 'Hi', mood: 3 },
    { role: 'assistant', name: 'bot', content: 'Hi Ann' },
  ];
  const request = read(messages);
  assert.equal(request.messages[0]?.role, 'system');
  assert.deepEqual(write(request).messages, messages);
});

test('reads every kind of content, and gives back what it has no word for', () => {
  const content = [
    { type: 'text', text: 'See', cache_control: { type: 'ephemeral' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    { type: 'image_url', image_url: { url: 'data:image/svg+xml,%3Csvg/%3E' } },
    { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
    { type: 'file', file: { file_id: 'f1' } },
    { type: 'text', text: 5 },
  ];
  const request = read([{ role: 'user', content }]);
  assert.deepEqual(request.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See', provider: { cache_control: { type: 'ephemeral' } } },
        {
          type: 'image',
          mediaType: 'image/png',
          source: { data: 'aGk=' },
          provider: { 'openai-chat': { image_url: { detail: 'low' } } },
        },
        { type: 'image', mediaType: 'image/*', source: { url: 'https://example.com/a.png' } },
        { type: 'image', mediaType: 'image/*', source: { url: 'data:image/svg+xml,%3Csvg/%3E' } },
        { type: 'opaque', wire: 'openai-chat', value: content[4] },
        { type: 'opaque', wire: 'openai-chat', value: content[5] },
        { type: 'opaque', wire: 'openai-chat', value: content[6] },
      ],
    },
  ]);
  assert.deepEqual(write(request).messages, [{ role: 'user', content }]);
});

test('keeps parts that are no text where only text has a place', () => {
  const messages = [
    { role: 'system', content: [{ type: 'odd', x: 1 }] },
    {
      role: 'assistant',
      content: [
        { type: 'odd', x: 2 },
        { type: 'refusal', refusal: 'No' },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'odd', x: 3 }] },
  ];
  const [system, assistant, tool] = messages;
  assert.deepEqual(write(read(messages)).messages, [
    system,
    { role: 'assistant', content: [assistant?.content[0]], refusal: 'No' },
    tool,
  ]);
});

test('finds the call of a result without an id, and names without collisions', () => {
  const { messages } = read([
    {
      role: 'assistant',
      tool_calls: [
        { id: 'call_0', function: { name: 'a', arguments: '{}' } },
        { type: 'function', function: { name: 'b', arguments: { x: 1 } } },
        { id: '', function: { name: 'c' } },
      ],
    },
    { role: 'tool', name: 'c', content: 'C' },
    { role: 'tool', content: 'A' },
    { role: 'tool', content: 'B' },
    { role: 'tool', content: 'nobody asked' },
  ]);
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  assert.deepEqual(
    results.map(({ callId, name }) => [callId, name]),
    [
      ['call_2', 'c'],
      ['call_0', 'a'],
      ['call_1', 'b'],
      ['call_3', ''],
    ],
  );
  assert.deepEqual(
    messages[0]?.content.map((part) => 'args' in part && part.args),
    ['{}', { x: 1 }, ''],
  );
});

test('reads functions as they were before tools', () => {
  const request = read(
    [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'done' },
    ],
    { functions: [{ name: 'f', parameters: { type: 'object' } }], function_call: { name: 'f' } },
  );
  assert.deepEqual(request.tools, [
    { name: 'f', description: '', inputSchema: { type: 'object' } },
  ]);
  assert.deepEqual(request.toolChoice, { tool: 'f' });
  assert.deepEqual(write(request).messages, [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_0', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_0', name: 'f', content: 'done' },
  ]);
});

test('lets tools and choices of other kinds ride along', () => {
  const body = {
    model: 'm',
    messages: [],
    tools: [
      { type: 'function', function: { name: 'f', parameters: {}, strict: true } },
      { type: 'custom', custom: { name: 'sql', format: { type: 'text' } } },
    ],
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
    response_format: { type: 'grammar', grammar: 'root ::= "x"' },
    logit_bias: { 5: 1 },
    n: 2,
  };
  const request = openaiChat.decodeRequest(body);
  assert.deepEqual(request.tools, [
    { name: 'f', description: '', inputSchema: {}, provider: { strict: true } },
  ]);
  assert.equal(request.toolChoice, 'auto');
  assert.deepEqual(openaiChat.encodeRequest(request), body);
});

test('reads every spelling of settings, numbers as text too', () => {
  const { settings, reasoning, responseFormat, extra } = read([], {
    temperature: '0.7',
    top_k: 40,
    min_p: 0.05,
    repetition_penalty: 1.1,
    stop: 'END',
    max_tokens: 5,
    max_completion_tokens: 6,
    reasoning: { effort: 'high', max_tokens: 900, exclude: true },
    response_format: { type: 'json_object', schema: { type: 'object' } },
  });
  assert.deepEqual(settings, {
    temperature: 0.7,
    topK: 40,
    minP: 0.05,
    repeatPenalty: 1.1,
    stop: ['END'],
    maxTokens: 6,
  });
  assert.deepEqual(reasoning, { effort: 'high', budgetTokens: 900 });
  assert.deepEqual(responseFormat, { type: 'json_schema', schema: { type: 'object' } });
  assert.deepEqual(extra, { reasoning: { exclude: true } });
});

test('keeps what stands around a schema', () => {
  const format = {
    type: 'json_schema',
    json_schema: { name: 'x', description: 'An x', schema: { type: 'object' }, strict: true },
  };
  const request = read([], { response_format: format });
  assert.deepEqual(write(request).response_format, format);
});

test('speaks the dialect it is told to', () => {
  const wire = createOpenaiChat({
    dialect: {
      maxTokensField: 'max_completion_tokens',
      repeatPenaltyField: 'repetition_penalty',
      reasoningField: 'reasoning',
      reasoningSettings: 'reasoning',
      asksStreamUsage: false,
      flattensText: true,
      sendsCacheControl: false,
    },
  });
  const marked = { type: 'text' as const, text: 'a', provider: { cache_control: {} } };
  const messages: Message[] = [
    { role: 'user', content: [marked, { type: 'text', text: 'b' }] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] },
  ];
  const settings = { maxTokens: 1, repeatPenalty: 2 };
  const reasoning = { effort: 'low', budgetTokens: 9 };
  assert.deepEqual(write({ messages, settings, reasoning, stream: true }, wire), {
    model: 'm',
    messages: [
      { role: 'user', content: 'ab' },
      { role: 'assistant', content: '', reasoning: 'hm' },
    ],
    max_completion_tokens: 1,
    repetition_penalty: 2,
    reasoning: { effort: 'low', max_tokens: 9 },
    stream: true,
  });
  const silent = createOpenaiChat({ dialect: { reasoningField: 'none' } });
  assert.deepEqual(write({ messages }, silent).messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a', cache_control: {} },
        { type: 'text', text: 'b' },
      ],
    },
    { role: 'assistant', content: '' },
  ]);
});

test('sends images of results in a user message after the last result', () => {
  const result = (callId: string): Message => ({
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId,
        name: 'shot',
        content: [
          { type: 'text', text: 'Taken' },
          { type: 'image', mediaType: 'image/png', source: { data: 'aGk=' } },
        ],
      },
    ],
  });
  const messages = [result('c1'), result('c2')];
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
  assert.deepEqual(write({ messages }).messages, [
    { role: 'tool', tool_call_id: 'c1', name: 'shot', content: 'Taken' },
    { role: 'tool', tool_call_id: 'c2', name: 'shot', content: 'Taken' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Image in the result of call c1:' },
        image,
        { type: 'text', text: 'Image in the result of call c2:' },
        image,
      ],
    },
  ]);
  const inline = createOpenaiChat({ dialect: { toolResultImages: 'inline' } });
  const encoded = write({ messages }, inline);
  assert.deepEqual(inline.decodeRequest(encoded).messages, messages);
});

test('sends nothing that belongs to another wire', () => {
  const messages: Message[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a', provider: { gemini: { thoughtSignature: 'x' } } },
        { type: 'opaque', wire: 'anthropic-messages', value: { type: 'document' } },
      ],
      provider: { citations: true },
    },
    {
      role: 'assistant',
      content: [
        { type: 'opaque', wire: 'anthropic-messages', value: { type: 'redacted_thinking' } },
        { type: 'tool_call', id: 'c', name: 'f', args: { n: 1 }, argsText: '{"n": 1.0}' },
      ],
    },
  ];
  assert.deepEqual(write({ messages }).messages, [
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"n": 1.0}' } }],
    },
  ]);
});

test('sends no tool choice where there is no tool', () => {
  const body = write({ toolChoice: 'required', parallelToolCalls: true });
  assert.deepEqual(Object.keys(body).sort(), ['messages', 'model']);
});
