import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '../wire.ts';
import { openaiChat } from './openai-chat.ts';

function chunk(delta: object, finish_reason: string | null = null): Frame {
  return { data: JSON.stringify({ id: 'r', choices: [{ index: 0, delta, finish_reason }] }) };
}

function read(...frames: Frame[]) {
  const decoder = openaiChat.createStreamDecoder();
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

const done = { data: '[DONE]' };

test('tells each piece as it comes', () => {
  const decoder = openaiChat.createStreamDecoder();
  assert.deepEqual(decoder.push(chunk({ content: 'a' })), [
    { type: 'start', id: 'r', extra: {} },
    { type: 'text', text: 'a' },
  ]);
  assert.deepEqual(decoder.push(chunk({ content: 'b' })), [{ type: 'text', text: 'b' }]);
  assert.deepEqual(decoder.push(chunk({}, 'stop')), []);
  assert.deepEqual(decoder.push(done), [{ type: 'finish', finish: 'stop', extra: {} }]);
  assert.deepEqual(decoder.push(chunk({ content: 'late' })), []);
  assert.deepEqual(decoder.end(), []);
});

test('finishes without [DONE] once the reason is known, and without a reason on [DONE]', () => {
  assert.deepEqual(read(chunk({ content: 'a' }, 'length')).at(-1), {
    type: 'finish',
    finish: 'length',
    extra: {},
  });
  assert.deepEqual(read(chunk({ content: 'a' }), done).at(-1), {
    type: 'finish',
    finish: 'other',
    extra: {},
  });
});

test('an empty stream, and one that is cut, end in an error', () => {
  for (const frames of [[], [chunk({ content: 'a' })]]) {
    const last = read(...frames).at(-1);
    assert.equal(last?.type === 'error' && last.error.kind, 'bad_response');
  }
});

test('stops at a chunk that is not JSON, or none of this wire', () => {
  for (const data of ['{"id": "r', 'null', '[]', '{"choices":[{"delta":{"content":7}}]}']) {
    const events = read(chunk({ content: 'a' }), { data }, chunk({ content: 'b' }, 'stop'), done);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['start', 'text', 'error'],
    );
    const last = events.at(-1);
    assert.equal(last?.type === 'error' && last.error.kind, 'bad_response');
  }
});

test('reads errors in the middle of a stream, by any name', () => {
  const kindOf = (frame: Frame) => {
    const last = read(chunk({ content: 'a' }), frame).at(-1);
    return last?.type === 'error' ? last.error.kind : undefined;
  };
  const data = (value: unknown) => ({ data: JSON.stringify(value) });
  assert.equal(kindOf(data({ error: { code: 429, message: 'x' } })), 'rate_limited');
  assert.equal(kindOf(data({ error: 'out of memory' })), 'unavailable');
  assert.equal(
    kindOf(data({ error: { type: 'exceed_context_size_error', message: 'x' } })),
    'context_overflow',
  );
  assert.equal(kindOf({ event: 'error', ...data({ weird: true }) }), 'unavailable');
});

test('reads content in parts, refusals, and deltas of fields it has no word for', () => {
  const events = read(
    chunk({ content: [{ type: 'text', text: 'a' }, { type: 'odd' }] }),
    chunk({ refusal: 'No' }),
    chunk({ annotations: [{ type: 'url_citation' }], audio: null }),
    chunk({ tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'sql' } }] }),
    chunk({}, 'stop'),
  );
  assert.deepEqual(events.slice(1, -1), [
    { type: 'text', text: 'a' },
    { type: 'opaque', wire: 'openai-chat', value: { type: 'odd' } },
    { type: 'text', text: 'No', provider: { 'openai-chat': { refusal: true } } },
    { type: 'opaque', wire: 'openai-chat', value: { annotations: [{ type: 'url_citation' }] } },
    {
      type: 'opaque',
      wire: 'openai-chat',
      value: { tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'sql' } }] },
    },
  ]);
});

test('reads a server that streams one whole message, and one that repeats it at the end', () => {
  const whole = {
    data: JSON.stringify({ choices: [{ message: { content: 'all' }, finish_reason: 'stop' }] }),
  };
  const texts = (...frames: Frame[]) =>
    read(...frames).flatMap((event) => (event.type === 'text' ? [event.text] : []));
  assert.deepEqual(texts(whole, done), ['all']);
  assert.deepEqual(texts(chunk({ content: 'all' }), whole, done), ['all']);
});

test('reads the first of several choices', () => {
  const second = { data: JSON.stringify({ choices: [{ index: 1, delta: { content: 'B' } }] }) };
  const events = read(chunk({ content: 'A' }), second, chunk({}, 'stop'), done);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'text' ? [event.text] : [])),
    ['A'],
  );
});
