import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, text, userMessage } from '@forge/core';
import { ModelError } from '../model-error.ts';
import type { WireRequest } from '../wire.ts';
import { decodeRequest } from './decode-request.ts';
import { defaultMaxTokens, encodeRequest } from './encode-request.ts';

const plain: WireRequest = {
  model: 'm',
  messages: [userMessage('hi')],
  tools: [],
  toolChoice: 'auto',
  settings: {},
  stream: false,
  extra: {},
};
const body = (fields: JsonObject): JsonObject => ({
  model: 'm',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'hi' }],
  ...fields,
});
const again = (fields: JsonObject): JsonObject => encodeRequest(decodeRequest(body(fields)));
const refusal = (value: unknown): string => {
  try {
    decodeRequest(value);
  } catch (error) {
    assert.ok(error instanceof ModelError);
    assert.equal(error.kind, 'bad_request');
    return error.message;
  }
  return assert.fail('it was decoded');
};

test('a bare request has a limit, no settings and no tools', () => {
  assert.deepEqual(encodeRequest(plain), {
    model: 'm',
    max_tokens: defaultMaxTokens,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  });
});

test('the default limit leaves room for a thinking budget', () => {
  const { max_tokens } = encodeRequest({ ...plain, reasoning: { budgetTokens: 5000 } });
  assert.equal(max_tokens, defaultMaxTokens + 5000);
});

test('settings this API has no word for are not sent', () => {
  const settings = { temperature: 0.5, topP: 0.9, topK: 5, stop: ['x'], minP: 0.1, seed: 1 };
  const sent = encodeRequest({ ...plain, settings, responseFormat: { type: 'json' } });
  const { model: _, max_tokens: __, messages: ___, ...rest } = sent;
  assert.deepEqual(rest, { temperature: 0.5, top_p: 0.9, top_k: 5, stop_sequences: ['x'] });
});

test('null, text for numbers and missing fields are taken as they are meant', () => {
  const request = decodeRequest({
    model: 'm',
    max_tokens: '256',
    temperature: '0.5',
    messages: [
      { role: 'user', content: null },
      { role: 'assistant', content: '' },
      { role: 'user', content: [] },
    ],
    system: null,
    tools: null,
    tool_choice: null,
    stop_sequences: null,
    stream: null,
    thinking: null,
    metadata: { user_id: 'u' },
  });
  assert.deepEqual(request, {
    model: 'm',
    messages: [
      { role: 'user', content: [] },
      { role: 'assistant', content: [] },
      { role: 'user', content: [] },
    ],
    tools: [],
    toolChoice: 'auto',
    settings: { temperature: 0.5, maxTokens: 256 },
    stream: false,
    extra: { metadata: { user_id: 'u' } },
  });
});

test('model and stream may come from outside the body', () => {
  const request = decodeRequest({ messages: [] }, { model: 'x', stream: true });
  assert.deepEqual([request.model, request.stream], ['x', true]);
});

test('what is wrong is said with its place', () => {
  assert.match(refusal(null), /expected an object, got null/);
  assert.match(refusal({ messages: [] }), /: model: /);
  assert.match(refusal({ model: 'm' }), /: messages: /);
  assert.match(refusal(body({ messages: [{ role: 'bot', content: 'x' }] })), /: messages\.0\.role/);
  const wrong = [{ role: 'user', content: [{ type: 'text', text: 7 }] }];
  assert.match(refusal(body({ messages: wrong })), /: messages\.0\.content\.0\.text/);
  assert.match(refusal(body({ max_tokens: 'many' })), /: max_tokens/);
  assert.match(refusal(body({ tools: {} })), /: tools: expected a list/);
});

test('results in a user turn become a tool message that knows the name of its tool', () => {
  const request = decodeRequest(
    body({
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'a', name: 'look', input: { x: 1 } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'A', is_error: true },
            { type: 'tool_result', tool_use_id: 'b' },
            { type: 'text', text: 'so?' },
          ],
        },
      ],
    }),
  );
  assert.deepEqual(request.messages, [
    { role: 'assistant', content: [{ type: 'tool_call', id: 'a', name: 'look', args: { x: 1 } }] },
    {
      role: 'tool',
      content: [
        { type: 'tool_result', callId: 'a', name: 'look', content: [text('A')], isError: true },
        { type: 'tool_result', callId: 'b', name: '', content: [] },
      ],
    },
    userMessage('so?'),
  ]);
});

test('a request comes back as it was, cache marks, documents, sealed thoughts and all', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const fields: JsonObject = {
    system: [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Rules…', cache_control },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'file', file_id: 'f' }, title: null },
          { type: 'image', source: { type: 'file', file_id: 'g' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com' }, cache_control },
          { type: 'text', text: 'look', cache_control },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 's' },
          { type: 'redacted_thinking', data: 'd' },
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
          { type: 'text', text: 'I see', citations: [{ type: 'char_location' }] },
          { type: 'tool_use', id: 'a', name: 'read', input: { n: 1 }, caller: { type: 'direct' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'found', cache_control },
              {
                type: 'search_result',
                title: 'T',
                source: 's',
                content: [{ type: 'text', text: 'x' }],
              },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
            ],
            cache_control,
          },
          { type: 'text', text: 'and now?' },
        ],
      },
      { role: 'system', content: [{ type: 'text', text: 'In French from here on.' }] },
    ],
    tools: [
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
      {
        name: 'read',
        description: 'Reads.',
        input_schema: { type: 'object', properties: { n: { type: 'number' } } },
        strict: true,
        cache_control,
      },
      { type: 'bash_20250124', name: 'bash' },
      { type: 'browser_toolset_20260801' },
    ],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: {
      effort: 'high',
      format: { type: 'json_schema', schema: { type: 'object', properties: {} } },
    },
    temperature: 1,
    stop_sequences: ['END'],
    stream: true,
    metadata: { user_id: 'u' },
    service_tier: 'auto',
    context_management: { edits: [] },
  };
  assert.deepEqual(again(fields), body(fields));
});

test('tools the provider runs are no tools of ours; those the client runs are', () => {
  const tools = [
    { type: 'web_search_20250305', name: 'web_search' },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'custom', name: 'mine' },
  ];
  const request = decodeRequest(body({ tools }));
  assert.deepEqual(
    request.tools.map(({ name }) => name),
    ['bash', 'mine'],
  );
  assert.deepEqual(request.extra, { server_tools: [{ at: 0, tool: tools[0] }] });
});

test('a schema without a type is given the one this API wants', () => {
  const tool = { name: 't', description: '' };
  const schemas = [true, { anyOf: [] }].map((inputSchema) =>
    encodeRequest({ ...plain, tools: [{ ...tool, inputSchema }] }),
  );
  assert.deepEqual(
    schemas.map(({ tools }) => tools),
    [
      [{ name: 't', input_schema: { type: 'object' } }],
      [{ name: 't', input_schema: { type: 'object', anyOf: [] } }],
    ],
  );
});

test('without tools there is no choice among them', () => {
  assert.equal(encodeRequest({ ...plain, toolChoice: 'required' }).tool_choice, undefined);
});

test('every way to ask for thought comes back the same', () => {
  const effort = { effort: 'low' };
  const cases: [JsonObject, unknown][] = [
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ thinking: { type: 'disabled' }, output_config: effort }, { effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, { budgetTokens: 2048 }],
    [
      { thinking: { type: 'enabled', budget_tokens: 2048 }, output_config: effort },
      { budgetTokens: 2048, effort: 'low' },
    ],
    [{ thinking: { type: 'adaptive' } }, {}],
    [{ thinking: { type: 'adaptive', display: 'omitted' }, output_config: effort }, effort],
    [{ thinking: { type: 'between_tools' } }, undefined],
    [{ output_config: effort }, undefined],
  ];
  for (const [fields, reasoning] of cases) {
    assert.deepEqual(decodeRequest(body(fields)).reasoning, reasoning);
    const { messages: _, ...sent } = again(fields);
    assert.deepEqual(sent, { model: 'm', max_tokens: 10, ...fields });
  }
});

test('the least effort of other wires is the least here', () => {
  const { output_config } = encodeRequest({ ...plain, reasoning: { effort: 'minimal' } });
  assert.deepEqual(output_config, { effort: 'low' });
});

test('an unknown choice of tools rides along', () => {
  const tools = [{ name: 't', input_schema: { type: 'object' } }];
  assert.deepEqual(again({ tools, tool_choice: { type: 'future' } }).tool_choice, {
    type: 'future',
  });
});

test('arguments that are no object are sent as an empty one', () => {
  const inputs = ['{"a":1}', '[1]', 'oops', 7].map((args) => {
    const content = [{ type: 'tool_call' as const, id: 'a', name: 't', args }];
    const { messages } = encodeRequest({ ...plain, messages: [{ role: 'assistant', content }] });
    return JSON.stringify(messages).match(/"input":(\{.*?\})/)?.[1];
  });
  assert.deepEqual(inputs, ['{"a":1}', '{}', '{}', '{}']);
});

test('fields of other wires are not sent', () => {
  const provider = { gemini: { thoughtSignature: 's' }, cache_control: { type: 'ephemeral' } };
  const messages = [{ role: 'user' as const, content: [{ ...text('hi'), provider }] }];
  assert.deepEqual(encodeRequest({ ...plain, messages }).messages, [
    {
      role: 'user',
      content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }],
    },
  ]);
});

test('very long and very deep requests are read and written', () => {
  const blocks = Array.from({ length: 200_000 }, (_, at) =>
    at % 2 === 0 ? { type: 'text', text: 'x' } : { type: 'tool_result', tool_use_id: `${at}` },
  );
  const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  const strange = {
    type: 'tool_result',
    tool_use_id: 'a',
    content: [{ type: 'odd', content: deep }],
  };
  const request = decodeRequest({
    model: 'm',
    messages: [{ role: 'user', content: [...blocks, strange] }],
  });
  assert.equal(request.messages.length, 200_000);
  assert.equal(Array.isArray(encodeRequest(request).messages), true);
});
