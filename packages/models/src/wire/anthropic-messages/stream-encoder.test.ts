import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonValue } from '@forge/core';
import type { StreamEvent } from '../wire.ts';
import { createStreamDecoder } from './stream-decoder.ts';
import { createStreamEncoder } from './stream-encoder.ts';

function write(...events: StreamEvent[]): JsonValue[] {
  const encoder = createStreamEncoder();
  return events.flatMap((event) =>
    encoder.push(event).map(({ event: name, data }) => {
      const value: JsonValue = JSON.parse(data);
      assert.equal(isJsonObject(value) && value.type, name);
      return value;
    }),
  );
}

const usage = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 6 };
const finish: StreamEvent = { type: 'finish', finish: 'stop', usage, extra: {} };

test('blocks follow each other from start to stop, numbered from 0', () => {
  const written = write(
    { type: 'start', id: 'msg_1', model: 'm', extra: {} },
    { type: 'reasoning', text: 'hm' },
    { type: 'signature', signature: 'sig' },
    { type: 'text', text: '' },
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'call', index: 0, id: 'x', name: 'f' },
    { type: 'args', index: 0, text: '{"a":' },
    { type: 'args', index: 0, text: '1}' },
    { type: 'call', index: 1, id: 'y', name: 'g' },
    { type: 'opaque', value: { type: 'redacted_thinking', data: 'd' } },
    finish,
    { type: 'text', text: 'too late' },
  );
  const delta = (index: number, value: object) => ({
    type: 'content_block_delta',
    index,
    delta: value,
  });
  const open = (index: number, content_block: object) => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  assert.deepEqual(written, [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
        },
      },
    },
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'hm' }),
    delta(0, { type: 'signature_delta', signature: 'sig' }),
    stop(0),
    open(1, { type: 'text', text: '', citations: null }),
    delta(1, { type: 'text_delta', text: 'a' }),
    delta(1, { type: 'text_delta', text: 'b' }),
    stop(1),
    open(2, { type: 'tool_use', id: 'x', name: 'f', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '{"a":' }),
    delta(2, { type: 'input_json_delta', partial_json: '1}' }),
    stop(2),
    open(3, { type: 'tool_use', id: 'y', name: 'g', input: {} }),
    stop(3),
    open(4, { type: 'redacted_thinking', data: 'd' }),
    stop(4),
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: {
        input_tokens: 4,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 6,
        output_tokens: 4,
      },
    },
    { type: 'message_stop' },
  ]);
});

test('an error ends the stream where it is', () => {
  const error = { kind: 'overloaded' as const, message: 'busy' };
  const written = write({ type: 'text', text: 'a' }, { type: 'error', error }, finish);
  assert.deepEqual(
    written.map((event) => isJsonObject(event) && event.type),
    ['message_start', 'content_block_start', 'content_block_delta', 'error'],
  );
  assert.deepEqual(written.at(-1), {
    type: 'error',
    error: { type: 'overloaded_error', message: 'busy' },
  });
});

test('a failure before the first word is the only thing written', () => {
  const error = { kind: 'rate_limited' as const, message: 'slow down' };
  assert.equal(write({ type: 'error', error }).length, 1);
});

test('arguments that come late still go to their call', () => {
  const written = write(
    { type: 'call', index: 0, id: 'x', name: 'f' },
    { type: 'text', text: 'between' },
    { type: 'args', index: 0, text: '{}' },
    { type: 'args', index: 9, text: 'of no call' },
  );
  assert.deepEqual(written.at(-1), {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json: '{}' },
  });
});

test('two signed thoughts are two blocks, and one may have no words', () => {
  const written = write(
    { type: 'reasoning', text: '' },
    { type: 'signature', signature: 'one' },
    { type: 'signature', signature: 'two' },
    finish,
  );
  const starts = written.filter(
    (event) => isJsonObject(event) && /_start$/.test(String(event.type)),
  );
  assert.equal(starts.length, 3);
});

test('citations are written again in the block they belong to', () => {
  const citations = [{ type: 'char_location' }, { type: 'page_location' }];
  const events: StreamEvent[] = [
    { type: 'start', id: 'm', model: 'c', extra: {} },
    { type: 'text', text: 'Plain.' },
    { type: 'text', text: 'Quo', provider: {} },
    { type: 'text', text: 'ted.' },
    { type: 'text', text: '', provider: { 'anthropic-messages': { citations } } },
    { type: 'text', text: 'After.' },
    { type: 'finish', finish: 'stop', extra: { stop_reason: 'end_turn' } },
  ];
  const encoder = createStreamEncoder();
  const frames = events.flatMap((event) => encoder.push(event));
  const cited = frames.filter(({ data }) => data.includes('citations_delta'));
  assert.deepEqual(
    cited.map(({ data }) => JSON.parse(data)),
    citations.map((citation) => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'citations_delta', citation },
    })),
  );
  const decoder = createStreamDecoder();
  const heard = frames.flatMap((frame) => decoder.push(frame));
  assert.deepEqual(heard.slice(0, -1), events.slice(0, -1));
});
