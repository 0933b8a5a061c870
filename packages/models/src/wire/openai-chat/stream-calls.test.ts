import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openaiChat } from './openai-chat.ts';

/** The calls in a stream of `tool_calls` deltas: id, name, arguments. */
function callsIn(...deltas: unknown[]): string[][] {
  const decoder = openaiChat.createStreamDecoder();
  const frames = deltas.map((call) => ({
    data: JSON.stringify({ id: 'r', choices: [{ index: 0, delta: { tool_calls: [call] } }] }),
  }));
  const calls: string[][] = [];
  for (const event of [...frames, { data: '[DONE]' }].flatMap((frame) => decoder.push(frame))) {
    if (event.type === 'call') calls[event.index] = [event.id, event.name, ''];
    if (event.type === 'args') {
      const call = calls[event.index];
      assert.ok(call, 'arguments before their call');
      call[2] += event.text;
    }
  }
  return calls;
}

function call(name?: string, args?: unknown, more: object = {}) {
  return { ...more, function: { ...(name === undefined ? {} : { name }), arguments: args } };
}

test('one index for every call, ids that differ', () => {
  const calls = callsIn(
    call('f', '{"a":1}', { index: 0, id: 'x' }),
    call('f', '{"a":2}', { index: 0, id: 'y' }),
  );
  assert.deepEqual(calls, [
    ['x', 'f', '{"a":1}'],
    ['y', 'f', '{"a":2}'],
  ]);
});

test('the head of a second call with the index of the first, its tail with its own', () => {
  const calls = callsIn(
    call('f', '{"a":1}', { index: 0, id: 'x' }),
    call('g', '', { index: 0, id: 'y' }),
    call(undefined, '{"b":', { index: 1 }),
    call(undefined, '2}', { index: 1 }),
  );
  assert.deepEqual(calls, [
    ['x', 'f', '{"a":1}'],
    ['y', 'g', '{"b":2}'],
  ]);
});

test('no index and no id: whole calls', () => {
  const calls = callsIn(call('f', '{"a":1}'), call('f', '{"a":2}'), call('g', '{}'));
  assert.deepEqual(calls, [
    ['call_r_0', 'f', '{"a":1}'],
    ['call_r_1', 'f', '{"a":2}'],
    ['call_r_2', 'g', '{}'],
  ]);
});

test('no index: pieces go to the call that is open', () => {
  const calls = callsIn(
    call('f', '', { id: 'x' }),
    call(undefined, '{"a":'),
    call(undefined, '1}'),
    call('g', '{"b":', { id: 'y' }),
    call(undefined, '2}'),
  );
  assert.deepEqual(calls, [
    ['x', 'f', '{"a":1}'],
    ['y', 'g', '{"b":2}'],
  ]);
});

test('the name and id again with every piece', () => {
  const calls = callsIn(
    call('f', '{"a":', { index: 0, id: 'x' }),
    call('f', '"}', { index: 0, id: 'x' }),
    call('f', '"}', { index: 0, id: 'x' }),
  );
  assert.deepEqual(calls, [['x', 'f', '{"a":"}"}']]);
});

test('a new id with every piece of one call', () => {
  const calls = callsIn(
    call('f', '{"a":', { index: 0, id: 'x1' }),
    call(undefined, '1}', { index: 0, id: 'x2' }),
  );
  assert.deepEqual(calls, [['x1', 'f', '{"a":1}']]);
});

test('indexes that start at one, as text', () => {
  const calls = callsIn(
    call('f', '{}', { index: '1', id: 'x' }),
    call('g', '{', { index: '2', id: 'y' }),
    call(undefined, '}', { index: '2' }),
  );
  assert.deepEqual(calls, [
    ['x', 'f', '{}'],
    ['y', 'g', '{}'],
  ]);
});

test('arguments before the name', () => {
  const calls = callsIn(
    call(undefined, '{"a":', { id: 'x' }),
    call('f', '1', { id: 'x' }),
    call(undefined, '}', { id: 'x' }),
  );
  assert.deepEqual(calls, [['x', 'f', '{"a":1}']]);
});

test('arguments as an object, as null, and no arguments', () => {
  const calls = callsIn(
    call('f', { a: [1] }, { index: 0, id: 'x' }),
    call('g', null, { index: 1, id: 'y' }),
    call('h', undefined, { index: 2, id: 'z' }),
  );
  assert.deepEqual(calls, [
    ['x', 'f', '{"a":[1]}'],
    ['y', 'g', ''],
    ['z', 'h', ''],
  ]);
});

test('pieces of two calls in turns', () => {
  const calls = callsIn(
    call('f', '{"a":', { index: 0, id: 'x' }),
    call('g', '{"b":', { index: 1, id: 'y' }),
    call(undefined, '1}', { index: 0 }),
    call(undefined, '2}', { index: 1 }),
  );
  assert.deepEqual(calls, [
    ['x', 'f', '{"a":1}'],
    ['y', 'g', '{"b":2}'],
  ]);
});

test('a call that never gets a name is still told', () => {
  assert.deepEqual(callsIn(call(undefined, '{"a":1}', { index: 0 })), [
    ['call_r_0', '', '{"a":1}'],
  ]);
});
