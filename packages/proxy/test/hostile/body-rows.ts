import assert from 'node:assert/strict';
import { callsIn, textIn } from './answer.ts';
import { called, callOf, chat, completion, oslo, toolWith, user, weather } from './chat.ts';
import { whole } from './odd-backend.ts';
import type { Row } from './row.ts';

const callsOslo: Row['check'] = ({ reply }) => {
  const [call, ...rest] = callsIn(reply);
  assert.deepEqual(call?.args, { city: 'Oslo' });
  assert.equal(rest.length, 0);
};

function calls(body: unknown): Row {
  return { send: { body }, status: 200, is: 'reply', check: callsOslo };
}

function says(body: unknown): Row {
  return {
    send: { body },
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(textIn(reply), 'Fine.'),
  };
}

function refused(body: unknown): Row {
  return { send: { body }, status: 400, is: 'error' };
}

/** Whether it is right is for the backend to say, and ours takes everything. */
function either(body: unknown): Row {
  return { send: { body }, status: [200, 400], is: 'any' };
}

/** The schema of an odd tool does not keep a good call from going out. */
function withSchema(schema: unknown): Row {
  return calls(chat({ tools: [toolWith(schema)] }));
}

function nested(depth: number, open = '[', close = ']'): string {
  return open.repeat(depth) + close.repeat(depth);
}

function withText(text: string, field: string): string {
  return `{"model":"m","messages":[{"role":"user","content":"hi"}],"${field}":${text}}`;
}

const badHistory = [
  user,
  { role: 'assistant', content: null, tool_calls: [callOf('{"city": "Os', 'weather', 'a')] },
  { role: 'tool', tool_call_id: 'a', content: 'Not JSON.' },
  { role: 'assistant', tool_calls: [callOf(null, null, null)] },
  { role: 'tool', content: 'No id.' },
  { role: 'tool', tool_call_id: 'never-called', content: null },
  user,
];

/** What a request may say. */
export const bodyRows: Readonly<Record<string, Row>> = {
  nothing: refused(''),
  'half a JSON text': refused(JSON.stringify(chat()).slice(0, -5)),
  'two JSON texts': refused(`${JSON.stringify(chat())}{}`),
  'a list': refused([]),
  null: refused('null'),
  'a number': refused('3'),
  'a string': refused('"x"'),
  'a form': refused('model=m&messages=hi'),
  NaN: either(JSON.stringify(chat()).replace('{', '{"temperature":NaN,')),
  'a comma too many': refused('{"model":"m","messages":[],}'),
  'a byte order mark': either(`\ufeff${JSON.stringify(chat())}`),
  'bytes that are no UTF-8': {
    ...either(
      Buffer.concat([
        Buffer.from('{"model":"m","messages":[{"role":"user","content":"'),
        Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
        Buffer.from('"}]}'),
      ]),
    ),
  },
  'half a surrogate pair': says(
    '{"model":"m","messages":[{"role":"user","content":"\\ud800 \\udc00"}]}',
  ),
  'a key twice: the last counts': {
    send: {
      body: `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"tools":[${JSON.stringify(weather)}],"stream":false,"tools":null}`,
    },
    status: 200,
    is: 'reply',
    check: ({ isStream, reply }) => {
      assert.equal(isStream, false);
      assert.equal(textIn(reply), 'Fine.');
    },
  },
  'a key with escapes in it': calls(JSON.stringify(chat()).replace('"tools"', '"\\u0074ools"')),
  'another content type': {
    ...calls(chat()),
    send: { body: chat(), headers: { 'content-type': 'text/plain' } },
  },
  'no content type': {
    ...calls(chat()),
    send: { body: chat(), headers: { 'content-type': null } },
  },
  '100,000 lists in each other as a field': either(withText(nested(100_000), 'metadata')),
  '100,000 objects in each other as a schema': either(
    withText(
      `[{"type":"function","function":{"name":"x","parameters":${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_000)}}}]`,
      'tools',
    ),
  ),
  '100,000 lists in each other as a message': either(
    `{"model":"m","tools":[${JSON.stringify(weather)}],"messages":[{"role":"user","content":${nested(100_000)}}]}`,
  ),
  'tools: null': says(chat({ tools: null })),
  'no tools in the list': says(chat({ tools: [] })),
  'tools: an object': either(chat({ tools: {} })),
  'tools: words': refused(chat({ tools: 'all' })),
  'a tool that is null': either(chat({ tools: [null] })),
  'a tool without a name': either(chat({ tools: [toolWith({}, '')] })),
  'messages: null': either(chat({ messages: null })),
  'no messages': either(chat({ messages: [] })),
  'no field of messages': either({ model: 'm', tools: [weather] }),
  'no model': either({ messages: [user], tools: [weather] }),
  'a model that is a number': either(chat({ model: 5 })),
  'stream: words': either(chat({ stream: 'yes' })),
  'temperature: words': either(chat({ temperature: 'hot' })),
  'a role nobody knows': either(chat({ messages: [{ role: 'wizard', content: 'hi' }] })),
  'a message that is null': either(chat({ messages: [null, user] })),
  'two messages of lists in a row': calls(
    chat({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'One.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Two.' }] },
      ],
    }),
  ),
  'a part nobody knows': either(
    chat({ messages: [{ role: 'user', content: [{ type: 'smell' }] }] }),
  ),
  'broken calls in the history': calls(chat({ messages: badHistory })),
  '10,000 messages': calls(chat({ messages: Array.from({ length: 10_000 }, () => user) })),
  'a message of 5 MB': calls(
    chat({ messages: [{ role: 'user', content: 'x'.repeat(5_000_000) }] }),
  ),
  '1,000 tools': calls(
    chat({
      tools: [
        ...Array.from({ length: 999 }, (_, at) => toolWith({ type: 'object' }, `tool_${at}`)),
        weather,
      ],
    }),
  ),
  'the same tool twice': calls(chat({ tools: [weather, weather] })),
  'a type that is a list': withSchema({
    type: ['object', 'null'],
    properties: { city: { type: ['string', 'null'] } },
  }),
  'schemas that are true and false': withSchema({
    type: 'object',
    properties: { city: true, days: false },
  }),
  'a schema that is true': withSchema(true),
  'a schema that is null': withSchema(null),
  'no schema': calls(chat({ tools: [{ type: 'function', function: { name: 'weather' } }] })),
  'a schema that is a list': either(chat({ tools: [toolWith([])] })),
  'a type nobody knows': either(chat({ tools: [toolWith({ type: 'wish' })] })),
  'a reference': withSchema({
    type: 'object',
    properties: { city: { $ref: '#/$defs/city' } },
    $defs: { city: { type: 'string' } },
  }),
  'a schema of itself': withSchema({
    type: 'object',
    properties: { city: { type: 'string' }, near: { $ref: '#' } },
  }),
  'a reference to nothing': withSchema({
    type: 'object',
    properties: { city: { $ref: '#/$defs/nowhere' } },
  }),
  'a reference to another server': withSchema({
    type: 'object',
    properties: { city: { $ref: 'http://elsewhere.test/schema.json' } },
  }),
  'references in a circle': either(
    chat({
      tools: [
        toolWith({
          $ref: '#/$defs/a',
          $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
        }),
      ],
    }),
  ),
  'a pattern that is none': withSchema({
    type: 'object',
    properties: { city: { type: 'string', pattern: '(' } },
  }),
  'properties with names of the language': {
    send: {
      body: `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"model_config":{"type":"string"},"city":{"type":"string"}}}}}]}`,
    },
    backend: whole(
      completion({
        content: null,
        tool_calls: [
          callOf('{"__proto__":"a","constructor":"b","model_config":"c","city":"Oslo"}'),
        ],
      }),
    ),
    status: 200,
    is: 'reply',
    check: ({ reply, body }) => {
      assert.equal(callsIn(reply).length, 1);
      assert.ok(body.includes('\\"__proto__\\":\\"a\\"'));
      assert.equal(Object.getPrototypeOf({}), Object.prototype);
    },
  },
  'tools with names of the language': {
    send: {
      body: chat({
        tools: ['__proto__', 'constructor', 'toString'].map((name) => toolWith({}, name)),
      }),
    },
    backend: whole(completion({ content: null, tool_calls: [callOf('{}', 'toString')] })),
    status: 200,
    is: 'reply',
    check: ({ reply }) => assert.equal(callsIn(reply)[0]?.name, 'toString'),
  },
  'a list of a million choices': withSchema({
    type: 'object',
    properties: {
      city: { enum: ['Oslo', ...Array.from({ length: 200_000 }, (_, at) => `c${at}`)] },
    },
  }),
  'a choice of a tool there is none of': either(
    chat({ tool_choice: { type: 'function', function: { name: 'nothing' } } }),
  ),
  'a choice nobody knows': either(chat({ tool_choice: 'perhaps' })),
  'tool_choice: none, and a call all the same': {
    send: { body: chat({ tool_choice: 'none' }) },
    backend: whole(called),
    status: 200,
    is: 'any',
  },
  'two replies at once': {
    send: { body: chat({ n: 2, tools: undefined }) },
    backend: whole({
      ...completion({ content: 'One.' }),
      choices: [0, 1].map((index) => ({
        index,
        message: { role: 'assistant', content: `Choice ${index}.` },
        finish_reason: 'stop',
      })),
    }),
    status: 200,
    is: 'reply',
    check: ({ body }) => assert.ok(body.includes('Choice 1.'), 'the second is there too'),
  },
  'two replies at once, with tools': {
    send: { body: chat({ n: 2 }) },
    backend: whole({
      ...completion({ content: 'One.' }),
      choices: [0, 1].map((index) => ({
        index,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [callOf(oslo, 'weather', `c${index}`)],
        },
        finish_reason: 'tool_calls',
      })),
    }),
    status: [200, 400],
    is: 'any',
  },
  'Anthropic: half a JSON text': { wire: 'anthropic-messages', ...refused('{"model":') },
  'Anthropic: messages: null': {
    wire: 'anthropic-messages',
    ...refused({ model: 'm', max_tokens: 5, messages: null }),
  },
  'Anthropic: tools: null and no max_tokens': {
    wire: 'anthropic-messages',
    ...says({ model: 'm', messages: [user], tools: null }),
  },
  'Anthropic: a result of a call that never was': {
    wire: 'anthropic-messages',
    ...says({
      model: 'm',
      max_tokens: 5,
      messages: [
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y' }] },
      ],
    }),
    status: [200, 400],
    is: 'any',
    check: () => {},
  },
  'Anthropic: to be counted, and nonsense': {
    wire: 'anthropic-messages',
    send: { target: '/v1/messages/count_tokens', body: '[]' },
    status: 400,
    is: 'error',
  },
  'Responses: input: null': { wire: 'openai-responses', ...either({ model: 'm', input: null }) },
  'Responses: a list of nonsense': {
    wire: 'openai-responses',
    ...either({ model: 'm', input: [null, 3, { type: 'wish' }] }),
  },
  'Gemini: no contents': { wire: 'gemini', ...either({}) },
  'Gemini: a list': { wire: 'gemini', ...refused([]) },
  'Ollama: messages: null': { wire: 'ollama', ...either({ model: 'm', messages: null }) },
  'Ollama: words': { wire: 'ollama', ...refused('"x"') },
};
