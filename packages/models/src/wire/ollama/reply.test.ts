import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../model-error.ts';
import { ollama } from './index.ts';

const message = { role: 'assistant', content: 'Hi.' };

test('tells why it stopped, and keeps a reason it does not know', () => {
  for (const [done_reason, finish, extra] of [
    [undefined, 'stop', {}],
    ['stop', 'stop', {}],
    ['length', 'length', {}],
    ['load', 'other', { done_reason: 'load' }],
    ['something', 'other', { done_reason: 'something' }],
  ] as const) {
    const reply = ollama.decodeReply({ message, done: true, ...(done_reason && { done_reason }) });
    assert.equal(reply.finish, finish);
    assert.deepEqual(reply.extra, extra);
    assert.equal(ollama.encodeReply(reply).done_reason, done_reason ?? 'stop');
  }
});

test('takes calls for the reason it stopped', () => {
  const tool_calls = [{ function: { name: 'get', arguments: '{"a":1}' } }];
  const reply = ollama.decodeReply({
    message: { ...message, tool_calls },
    done: true,
    done_reason: 'stop',
  });
  assert.equal(reply.finish, 'tool_calls');
  assert.deepEqual(reply.content[1], {
    type: 'tool_call',
    id: 'get_0',
    name: 'get',
    args: '{"a":1}',
    provider: { ollama: { generatedId: true } },
  });
});

test('counts a prompt it had in its cache as nothing', () => {
  assert.deepEqual(ollama.decodeReply({ message, done: true, eval_count: 3 }).usage, {
    inputTokens: 0,
    outputTokens: 3,
  });
  assert.equal(ollama.decodeReply({ message, done: true }).usage, undefined);
});

test('keeps pictures a model made', () => {
  const reply = ollama.decodeReply({ message: { ...message, images: ['AAAA'] }, done: true });
  assert.deepEqual(reply.content, [{ type: 'text', text: 'Hi.' }]);
  assert.deepEqual(ollama.encodeReply(reply).message, { ...message, images: ['AAAA'] });
});

test('throws an error that comes in the place of a reply', () => {
  assert.throws(
    () => ollama.decodeReply({ error: 'llama runner process has terminated' }),
    (thrown) => thrown instanceof ModelError && thrown.kind === 'unavailable',
  );
});

test('refuses what is no finished reply', () => {
  for (const body of [null, [], {}, { message: 'hi' }, { message, done: false }]) {
    assert.throws(
      () => ollama.decodeReply(body),
      (thrown) => thrown instanceof ModelError && thrown.kind === 'bad_response',
    );
  }
});
