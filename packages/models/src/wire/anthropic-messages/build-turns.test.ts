import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AssistantMessage, type Message, text, userMessage } from '@forge/core';
import { buildTurns, noWords } from './build-turns.ts';
import { emptyError, missingResult } from './encode-result.ts';

const call = (id: string, name = 'look'): AssistantMessage['content'][number] => ({
  type: 'tool_call',
  id,
  name,
  args: {},
});
const reply = (...content: AssistantMessage['content']): Message => ({
  role: 'assistant',
  content,
});
const result = (callId: string, said: string, isError?: boolean): Message => ({
  role: 'tool',
  content: [
    {
      type: 'tool_result',
      callId,
      name: 'look',
      content: said === '' ? [] : [text(said)],
      ...(isError !== undefined && { isError }),
    },
  ],
});
const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const answer = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
const words = (value: string) => ({ type: 'text', text: value });
const none = (id: string) => ({ ...answer(id, missingResult), is_error: true });
const turnsOf = (...messages: Message[]) => buildTurns(messages).messages;

test('system messages leave the conversation, wherever they stand', () => {
  const { system, messages } = buildTurns([
    { role: 'system', content: [text('one'), text(' ')] },
    userMessage('hi'),
    { role: 'system', content: [text('two')] },
  ]);
  assert.deepEqual(system, [text('one'), text('two')]);
  assert.deepEqual(messages, [{ role: 'user', content: [words('hi')] }]);
});

test('a system message that came between the others stays there', () => {
  const marked = { 'anthropic-messages': { mid_conversation: true } };
  const later: Message = { role: 'system', content: [text('now in French')], provider: marked };
  const { system, messages } = buildTurns([userMessage('hi'), later]);
  assert.deepEqual(system, []);
  assert.deepEqual(messages[1], { role: 'system', content: [words('now in French')] });
});

test('results of one turn share a user turn, first and in the order of the calls', () => {
  assert.deepEqual(
    turnsOf(
      userMessage('go'),
      reply(call('a'), call('b')),
      userMessage('hurry'),
      result('b', 'B'),
      result('a', 'A'),
    ),
    [
      { role: 'user', content: [words('go')] },
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content: [answer('a', 'A'), answer('b', 'B'), words('hurry')] },
    ],
  );
});

test('calls without a result get one that says so', () => {
  assert.deepEqual(turnsOf(userMessage('go'), reply(call('a'))).at(-1), {
    role: 'user',
    content: [none('a')],
  });
  assert.deepEqual(turnsOf(userMessage('go'), reply(call('a')), userMessage('and?')).at(-1), {
    role: 'user',
    content: [none('a'), words('and?')],
  });
});

test('a result that came late goes to its call, and the assistant is not made to go on', () => {
  const turns = turnsOf(
    userMessage('go'),
    reply(call('a')),
    userMessage('wait'),
    reply(text('waiting')),
    result('a', 'A'),
  );
  assert.deepEqual(turns[2], { role: 'user', content: [answer('a', 'A'), words('wait')] });
  assert.deepEqual(turns.at(-1), { role: 'user', content: [words(noWords)] });
});

test('a result without a call, or a second one, is told as text', () => {
  const turns = turnsOf(userMessage('go'), result('zzz', 'lost'));
  assert.deepEqual(turns, [
    {
      role: 'user',
      content: [words('go'), words('[result of an earlier call of look]'), words('lost')],
    },
  ]);
});

test('ids used again are made unique, and so are ids the API would refuse', () => {
  const turns = turnsOf(
    userMessage('go'),
    reply(call('call_0'), call('fn.a:0')),
    result('call_0', 'first'),
    result('fn.a:0', 'kimi'),
    reply(call('call_0'), call('fn_a_0'), call('')),
    result('call_0', 'second'),
  );
  assert.deepEqual(turns.slice(1), [
    { role: 'assistant', content: [use('call_0'), use('fn_a_0')] },
    { role: 'user', content: [answer('call_0', 'first'), answer('fn_a_0', 'kimi')] },
    { role: 'assistant', content: [use('call_0_2'), use('fn_a_0_2'), use('toolu')] },
    { role: 'user', content: [answer('call_0_2', 'second'), none('fn_a_0_2'), none('toolu')] },
  ]);
});

test('one id for two calls of a reply pairs in order', () => {
  const turns = turnsOf(
    userMessage('go'),
    reply(call('x'), call('x')),
    result('x', '1'),
    result('x', '2'),
  );
  assert.deepEqual(turns.at(-1), { role: 'user', content: [answer('x', '1'), answer('x_2', '2')] });
});

test('neighbours of one role are one turn, and the user speaks first', () => {
  assert.deepEqual(
    turnsOf(reply(text('a')), reply(text('b')), userMessage('c'), userMessage('d')),
    [
      { role: 'user', content: [words(noWords)] },
      { role: 'assistant', content: [words('a'), words('b')] },
      { role: 'user', content: [words('c'), words('d')] },
    ],
  );
});

test('nothing blank is sent', () => {
  assert.deepEqual(turnsOf(), [{ role: 'user', content: [words(noWords)] }]);
  assert.deepEqual(
    turnsOf(
      userMessage('hi'),
      reply(text('')),
      userMessage(' \n'),
      reply(text('ok ')),
      userMessage(''),
    ),
    [
      { role: 'user', content: [words('hi')] },
      { role: 'assistant', content: [words('ok ')] },
      { role: 'user', content: [words(noWords)] },
    ],
  );
});

test('a reply to go on from does not end in a space', () => {
  assert.deepEqual(turnsOf(userMessage('hi'), reply(text('The answer is '))).at(-1), {
    role: 'assistant',
    content: [words('The answer is')],
  });
});

test('thoughts are sent with their signature, not without, and never last', () => {
  const thought = (signature?: string): AssistantMessage['content'][number] => ({
    type: 'reasoning',
    text: 'hm',
    ...(signature !== undefined && { signature }),
  });
  const turns = turnsOf(
    userMessage('1'),
    reply(thought('sig'), text('a'), thought()),
    userMessage('2'),
    reply(thought('sig')),
    userMessage('3'),
    reply(thought('sig')),
    reply(text('b')),
  );
  const sent = { type: 'thinking', thinking: 'hm', signature: 'sig' };
  assert.deepEqual(turns, [
    { role: 'user', content: [words('1')] },
    { role: 'assistant', content: [sent, words('a')] },
    { role: 'user', content: [words('2'), words('3')] },
    { role: 'assistant', content: [sent, words('b')] },
  ]);
});

test('an error says something, in text only; its images follow the results', () => {
  const shot = { type: 'image', mediaType: 'image/png', source: { data: 'AAAA' } } as const;
  const failed: Message = {
    role: 'tool',
    content: [{ type: 'tool_result', callId: 'a', name: 'look', content: [shot], isError: true }],
  };
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
  assert.deepEqual(
    turnsOf(userMessage('go'), reply(call('a'), call('b')), failed, result('b', '')).at(-1),
    {
      role: 'user',
      content: [
        { ...answer('a', emptyError), is_error: true },
        { type: 'tool_result', tool_use_id: 'b' },
        { type: 'image', source },
      ],
    },
  );
});

test('parts of other wires stay out, and images given as data URLs go as data', () => {
  const content: Message = {
    role: 'user',
    content: [
      { type: 'opaque', wire: 'gemini', value: { videoMetadata: {} } },
      { type: 'opaque', wire: 'anthropic-messages', value: { type: 'document', source: {} } },
      { type: 'image', mediaType: 'image/*', source: { url: 'data:image/jpg;base64,QUJD' } },
      { type: 'image', mediaType: 'image/*', source: { url: 'https://example.com/a.png' } },
    ],
  };
  assert.deepEqual(turnsOf(content), [
    {
      role: 'user',
      content: [
        { type: 'document', source: {} },
        { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'QUJD' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      ],
    },
  ]);
});
