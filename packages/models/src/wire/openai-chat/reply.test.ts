import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../model-error.ts';
import { openaiChat } from './openai-chat.ts';

function read(message: object, more: object = {}, choice: object = {}) {
  const choices = [{ index: 0, message, finish_reason: 'stop', ...choice }];
  return openaiChat.decodeReply({
    id: 'r',
    object: 'chat.completion',
    model: 'm',
    choices,
    ...more,
  });
}

test('reads a reply with every field its server fills in', () => {
  const reply = read(
    { role: 'assistant', content: 'Hi', refusal: null, annotations: [], audio: null },
    { created: 5, system_fingerprint: 'fp', usage: { prompt_tokens: '7', completion_tokens: 2 } },
    { logprobs: null, stop_reason: 128009 },
  );
  assert.deepEqual(reply, {
    id: 'r',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    finish: 'stop',
    usage: { inputTokens: 7, outputTokens: 2 },
    extra: { created: 5, system_fingerprint: 'fp', choice: { stop_reason: 128009 } },
  });
});

for (const field of ['reasoning_content', 'reasoning', 'reasoning_text']) {
  test(`reads ${field} as reasoning, and leaves <think> in the text`, () => {
    assert.deepEqual(read({ [field]: 'Hm', content: '<think>x</think>y' }).content, [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: '<think>x</think>y' },
    ]);
  });
}

test('says the same reasoning once when a server spells it twice', () => {
  const { content } = read({ reasoning: 'Hm', reasoning_content: 'Hm', content: '' });
  assert.deepEqual(content, [{ type: 'reasoning', text: 'Hm' }]);
});

test('keeps what must be replayed and has no word', () => {
  const said = { content: 'x', reasoning_details: [{ type: 'reasoning.encrypted', data: 'zz' }] };
  const { content } = read(said);
  const request = openaiChat.encodeRequest({
    model: 'm',
    messages: [{ role: 'assistant', content: [...content] }],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    stream: false,
    extra: {},
  });
  assert.deepEqual(request.messages, [{ role: 'assistant', ...said }]);
});

test('reads calls of every make', () => {
  const reply = read({
    content: null,
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'a', arguments: '{"x": 1' } },
      { type: 'function', function: { name: 'b', arguments: { y: 2 } } },
      { id: 3, function: { name: 'c', arguments: null } },
      { id: 'c4', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } },
    ],
    function_call: { name: 'd', arguments: '{}' },
  });
  assert.deepEqual(reply.content, [
    {
      type: 'opaque',
      wire: 'openai-chat',
      value: {
        tool_calls: [{ id: 'c4', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }],
      },
    },
    { type: 'tool_call', id: 'c1', name: 'a', args: '{"x": 1' },
    { type: 'tool_call', id: 'call_r_0', name: 'b', args: { y: 2 } },
    { type: 'tool_call', id: '3', name: 'c', args: '' },
    { type: 'tool_call', id: 'call_r_1', name: 'd', args: '{}' },
  ]);
  assert.equal(reply.finish, 'tool_calls');
  assert.equal(reply.extra.finish_reason, 'stop');
});

const reasons: [string | null, string, string | undefined][] = [
  ['stop', 'stop', undefined],
  ['length', 'length', undefined],
  ['tool_calls', 'tool_calls', undefined],
  ['function_call', 'tool_calls', 'function_call'],
  ['content_filter', 'content_filter', undefined],
  ['eos', 'other', 'eos'],
  [null, 'other', undefined],
];

for (const [raw, finish, kept] of reasons) {
  test(`reads the finish reason ${raw} as ${finish}`, () => {
    const reply = read({ content: 'x' }, {}, { finish_reason: raw });
    assert.equal(reply.finish, finish);
    assert.equal(reply.extra.finish_reason, kept);
  });
}

test('takes the first choice and keeps the others', () => {
  const other = { index: 1, message: { role: 'assistant', content: 'B' }, finish_reason: 'stop' };
  const first = { index: 0, message: { content: 'A' }, finish_reason: 'stop' };
  const reply = openaiChat.decodeReply({ choices: [first, other] });
  assert.deepEqual(reply.content, [{ type: 'text', text: 'A' }]);
  assert.deepEqual(reply.extra, { choices: [other] });
  const { choices } = openaiChat.encodeReply(reply);
  assert.deepEqual(Array.isArray(choices) && choices[1], other);
});

test('reads what OpenRouter asks for the call', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, cost: 0.5, is_byok: false };
  const reply = read({ content: 'x' }, { usage });
  assert.equal(reply.cost, 0.5);
  assert.deepEqual(openaiChat.encodeReply(reply).usage, { ...usage, total_tokens: 2 });
});

test('odd usage costs no reply', () => {
  for (const usage of [null, 'much', [], {}, { prompt_tokens: 'many' }]) {
    assert.equal(read({ content: 'x' }, { usage }).usage, undefined);
  }
});

const unusable: [string, unknown, ModelError['kind']][] = [
  ['nothing', undefined, 'bad_response'],
  ['text', 'hello', 'bad_response'],
  ['no choices', { choices: [] }, 'bad_response'],
  ['odd choices', { choices: 'none' }, 'bad_response'],
  ['an error with status 200', { error: { code: 429, message: 'later' } }, 'rate_limited'],
  ['an error of its choice', { choices: [{ error: { code: 502, message: 'x' } }] }, 'unavailable'],
  [
    'an error of vLLM',
    { object: 'error', message: 'maximum context length', code: 400 },
    'context_overflow',
  ],
];

for (const [what, body, kind] of unusable) {
  test(`refuses ${what} as ${kind}`, () => {
    const isRight = (error: unknown) => error instanceof ModelError && error.kind === kind;
    assert.throws(() => openaiChat.decodeReply(body), isRight);
  });
}
