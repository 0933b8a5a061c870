import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, Message } from '@forge/core';
import { ModelError } from '../model-error.ts';
import { createOpenaiResponses } from './index.ts';

let ids = 0;
const wire = createOpenaiResponses({ newId: () => String(ids++), now: () => 0 });

function messagesOf(...input: JsonObject[]): readonly Message[] {
  return wire.decodeRequest({ input }).messages;
}

/** Decoded and encoded again, as a proxy does it. */
function passed(...input: JsonObject[]): unknown {
  return wire.encodeRequest(wire.decodeRequest({ input })).input;
}

test('a body of nulls is an empty request', () => {
  const names = ['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls'];
  const settings = ['temperature', 'top_p', 'max_output_tokens', 'text', 'reasoning', 'stream'];
  const body = Object.fromEntries([...names, ...settings].map((name) => [name, null]));
  assert.deepEqual(wire.decodeRequest(body, { model: 'm', stream: true }), {
    model: 'm',
    messages: [],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    stream: true,
    extra: {},
  });
});

test('messages without a type, with text, parts or nothing', () => {
  const content: JsonObject[] = [
    { role: 'user', content: 'a' },
    { role: 'user', content: [{ type: 'input_text', text: 'b' }] },
    { role: 'user', content: null },
    { role: 'user', content: [] },
    { role: 'user' },
    { role: 'assistant', content: 'c' },
  ];
  assert.deepEqual(messagesOf(...content), [
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    { role: 'user', content: [{ type: 'text', text: 'b' }] },
    { role: 'user', content: [] },
    { role: 'user', content: [] },
    { role: 'user', content: [] },
    { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
  ]);
});

test('instructions and system messages of the input stay apart', () => {
  const body = {
    instructions: 'Obey.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'S' }] },
    ],
  };
  const request = wire.decodeRequest(body);
  assert.deepEqual(
    request.messages.map((message) => message.role),
    ['system', 'system', 'system'],
  );
  assert.deepEqual(wire.encodeRequest(request), body);
  const { instructions: _, ...rest } = body;
  assert.deepEqual(wire.encodeRequest(wire.decodeRequest(rest)), rest);
});

test('a leading system message of our own becomes the instructions, later ones stay in place', () => {
  const body = wire.encodeRequest({
    ...wire.decodeRequest({ model: 'm' }),
    messages: [
      { role: 'system', content: ['a', 'b'].map((text) => ({ type: 'text', text })) },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'system', content: [{ type: 'text', text: 'c' }] },
    ],
  });
  assert.equal(body.instructions, 'a\n\nb');
  assert.deepEqual(body.input, [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'c' }] },
  ]);
});

test('images by data and by address, with their detail; uploaded ones are opaque', () => {
  const parts: JsonObject[] = [
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' },
    { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'auto' },
    { type: 'input_image', file_id: 'file_1', detail: 'auto' },
  ];
  const item = { type: 'message', role: 'user', content: parts };
  const [message] = messagesOf(item);
  assert.ok(message?.role === 'user');
  const [data, url, uploaded] = message.content;
  assert.ok(data?.type === 'image' && url?.type === 'image');
  assert.deepEqual([data.mediaType, data.source], ['image/png', { data: 'AAAA' }]);
  assert.deepEqual(url.source, { url: 'https://example.org/a.png' });
  assert.equal(uploaded?.type, 'opaque');
  assert.deepEqual(passed(item), [item]);
});

const passedOn: readonly [string, JsonObject[]][] = [
  [
    'files, audio and parts nobody knows',
    [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_file', file_id: 'f' },
          { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
          { type: 'hologram', light: 1 },
          { type: 'input_text', text: 'look', prompt_cache_breakpoint: { mode: 'explicit' } },
        ],
      },
    ],
  ],
  [
    'items the kernel has no word for',
    [
      { type: 'item_reference', id: 'msg_1' },
      { id: 'rs_2' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
      { type: 'mcp_approval_response', approval_request_id: 'a', approve: true },
      { type: 'function_call_output', name: 'async', output: 'later' },
      { type: 'message', role: 'critic', content: 'hm' },
      { type: 'message', role: 'assistant', id: 'msg_3', status: 'completed', content: [] },
    ],
  ],
  [
    'assistant messages one by one, with phase, refusal, citations and unknown parts',
    [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'a', annotations: [] }],
      },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        phase: 'commentary',
        content: [
          { type: 'output_text', text: 'b', annotations: [{ type: 'file_path', file_id: 'f' }] },
          { type: 'refusal', refusal: 'no' },
          { type: 'hologram', light: 1 },
        ],
      },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'c', annotations: [] }],
      },
    ],
  ],
  [
    'reasoning with raw text, without a proof or with none yet, and parts nobody knows',
    [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 's' }],
        content: [
          { type: 'reasoning_text', text: 'r' },
          { type: 'diagram', dots: 3 },
        ],
        encrypted_content: null,
        status: 'completed',
      },
      { type: 'reasoning', summary: [], encrypted_content: 'proof' },
      {
        type: 'function_call',
        id: 'fc_1',
        status: 'incomplete',
        call_id: 'call_1',
        name: 'f',
        arguments: '{"a":',
        namespace: 'n',
      },
    ],
  ],
  [
    'results with files and images',
    [
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        id: 'fco_1',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
          { type: 'input_file', file_id: 'f' },
        ],
      },
      { type: 'function_call_output', call_id: 'call_2', output: '' },
    ],
  ],
];
for (const [what, items] of passedOn) {
  test(`passes on ${what}`, () => {
    assert.deepEqual(passed(...items), items);
  });
}

test('calls without ids, with arguments as an object or not at all', () => {
  const [message] = messagesOf(
    { type: 'function_call', id: 'fc_1', name: 'f', arguments: { a: 1 } },
    { type: 'function_call', name: 'g', arguments: null },
    { type: 'function_call', call_id: 'c', name: 'h', arguments: 'not JSON' },
  );
  assert.ok(message?.role === 'assistant');
  const calls = message.content.filter((part) => part.type === 'tool_call');
  assert.deepEqual(
    calls.map((part) => part.args),
    [{ a: 1 }, '', 'not JSON'],
  );
  assert.equal(calls[0]?.id, 'fc_1');
  assert.match(calls[1]?.id ?? '', /^call_/);
});

test('a result takes the name of its call; odd outputs become text', () => {
  const [, message] = messagesOf(
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '' },
    { type: 'function_call_output', call_id: 'a', output: { ok: true } },
    { type: 'function_call_output', call_id: 'b', output: null },
  );
  assert.deepEqual(message, {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId: 'a',
        name: 'f',
        content: [{ type: 'text', text: '{"ok":true}' }],
      },
      { type: 'tool_result', callId: 'b', name: '', content: [] },
    ],
  });
});

test('functions are tools, strict as they said; all others ride along', () => {
  const parameters = { type: 'object', properties: {} };
  const tools = [
    { type: 'function', name: 'a', description: 'A', parameters, strict: true },
    { type: 'function', name: 'b', parameters, strict: false },
    { type: 'function', name: 'c', parameters, strict: null, defer_loading: true },
    { type: 'web_search', search_context_size: 'low' },
    { type: 'custom', name: 'patch', format: { type: 'text' } },
  ];
  const request = wire.decodeRequest({ model: 'm', tools });
  assert.deepEqual(
    request.tools.map((tool) => tool.name),
    ['a', 'b', 'c'],
  );
  assert.equal(request.tools[1]?.provider, undefined);
  assert.deepEqual(wire.encodeRequest(request).tools, tools);
});

test('our own tools ask not to be strict, which is the default of the wire', () => {
  const request = wire.decodeRequest({ model: 'm' });
  const tool = { name: 'f', description: '', inputSchema: true };
  assert.deepEqual(wire.encodeRequest({ ...request, tools: [tool] }).tools, [
    { type: 'function', name: 'f', parameters: {}, strict: false },
  ]);
});

test('a finer tool choice rides along until the choice is changed', () => {
  const tool_choice = {
    type: 'allowed_tools',
    mode: 'required',
    tools: [{ type: 'function', name: 'f' }],
  };
  const request = wire.decodeRequest({ model: 'm', tool_choice });
  assert.equal(request.toolChoice, 'required');
  assert.deepEqual(wire.encodeRequest(request).tool_choice, tool_choice);
  assert.equal(wire.encodeRequest({ ...request, toolChoice: 'none' }).tool_choice, 'none');
  const builtIn = wire.decodeRequest({ model: 'm', tool_choice: { type: 'web_search' } });
  assert.equal(builtIn.toolChoice, 'auto');
  assert.deepEqual(wire.encodeRequest(builtIn).tool_choice, { type: 'web_search' });
});

test('format, verbosity, effort and all the rest come back', () => {
  const body = {
    model: 'm',
    text: {
      format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, description: 'd' },
      verbosity: 'low',
    },
    reasoning: { effort: 'high', summary: 'auto' },
    previous_response_id: 'resp_0',
    store: false,
    include: ['reasoning.encrypted_content'],
    metadata: { a: 'b' },
    truncation: 'auto',
    top_k: 5,
  };
  const request = wire.decodeRequest(body);
  assert.deepEqual(request.reasoning, { effort: 'high' });
  assert.deepEqual(request.responseFormat, {
    type: 'json_schema',
    name: 'n',
    schema: { type: 'object' },
  });
  assert.deepEqual(wire.encodeRequest(request), body);
  for (const format of [{ type: 'json_object' }, { type: 'grammar', syntax: 'lark' }]) {
    const text = { format };
    assert.deepEqual(wire.encodeRequest(wire.decodeRequest({ model: 'm', text })).text, text);
  }
});

test('fields called like those of every object are ordinary fields', () => {
  const body: unknown = JSON.parse('{"model":"m","__proto__":{"a":1},"constructor":2}');
  const encoded = wire.encodeRequest(wire.decodeRequest(body));
  assert.equal(JSON.stringify(encoded), '{"__proto__":{"a":1},"constructor":2,"model":"m"}');
});

const faults: readonly [string, unknown, RegExp][] = [
  ['no object', [], /body: expected an object/],
  ['input of a wrong type', { input: 3 }, /body\.input/],
  ['an item that is no object', { input: ['x'] }, /body\.input/],
  ['content of a wrong type', { input: [{ role: 'user', content: 3 }] }, /input\.0\.content/],
  ['a call without a name', { input: [{ type: 'function_call' }] }, /input\.0\.name/],
  ['parameters that are no schema', toolsWith('string'), /tools\.0\.parameters/],
  ['a temperature in words', { temperature: 'warm' }, /body\.temperature/],
];
for (const [what, body, where] of faults) {
  test(`${what} is a bad request that says where`, () => {
    assert.throws(
      () => wire.decodeRequest(body),
      (error) =>
        error instanceof ModelError && error.kind === 'bad_request' && where.test(error.message),
    );
  });
}

test('a body nested deeper than the stack is refused', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  const input = [{ type: 'function_call_output', call_id: 'c', output: { deep } }];
  assert.throws(
    () => wire.decodeRequest({ input }),
    (error) => error instanceof ModelError && error.kind === 'bad_request',
  );
  assert.throws(
    () => wire.decodeReply({ output: [], metadata: { deep } }),
    (error) => error instanceof ModelError && error.kind === 'bad_response',
  );
});

function toolsWith(parameters: unknown): unknown {
  return { tools: [{ type: 'function', name: 'f', parameters }] };
}
