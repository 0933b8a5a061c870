import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertSameHoweverCut, hear } from '../shared/loopback.test.ts';
import type { StreamEvent } from '../wire.ts';
import { ollama } from './index.ts';

function decode(chunks: Iterable<Uint8Array>): StreamEvent[] {
  return hear(ollama, chunks);
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./__fixtures__/${name}.ndjson`, import.meta.url));
}

const start: StreamEvent = { type: 'start', model: 'qwen3:8b', extra: {} };
const finish = (line: number, how: 'stop' | 'tool_calls' | 'length'): StreamEvent => ({
  type: 'finish',
  finish: how,
  usage: { inputTokens: 26, outputTokens: 298 },
  extra: {
    created_at: `2026-03-04T05:06:07.00000${line}Z`,
    total_duration: 4883583458,
    load_duration: 1334875,
    prompt_eval_duration: 342546000,
    eval_duration: 4535599000,
  },
});

const expected: Record<string, StreamEvent[]> = {
  'thinking-and-text': [
    start,
    { type: 'reasoning', text: 'The café ☕' },
    { type: 'reasoning', text: ' by the river.' },
    { type: 'text', text: 'Try the one' },
    { type: 'text', text: ' by the river 🏞️.' },
    finish(5, 'stop'),
  ],
  'parallel-calls': [
    start,
    { type: 'reasoning', text: 'Two cities.' },
    { type: 'call', index: 0, id: 'call_a1', name: 'get_weather' },
    { type: 'args', index: 0, text: '{"city":"Zürich","days":2}' },
    { type: 'call', index: 1, id: 'call_b2', name: 'get_weather' },
    { type: 'args', index: 1, text: '{"city":"東京"}' },
    finish(4, 'tool_calls'),
  ],
  'older-calls': [
    start,
    {
      type: 'call',
      index: 0,
      id: 'get_time_0_20260304T050607000001Z',
      name: 'get_time',
      provider: { ollama: { generatedId: true } },
    },
    { type: 'args', index: 0, text: '{}' },
    {
      type: 'call',
      index: 1,
      id: 'get_time_1_20260304T050607000001Z',
      name: 'get_time',
      provider: { ollama: { generatedId: true } },
    },
    { type: 'args', index: 1, text: '{"zone":"UTC"}' },
    finish(2, 'length'),
  ],
};

for (const [name, events] of Object.entries(expected)) {
  test(`hears ${name} the same wherever it is cut`, () => {
    assertSameHoweverCut(ollama, fixture(name), events);
  });
}

test('ends with the error a line carries', () => {
  const events = decode([fixture('failing')]);
  assert.deepEqual(events.slice(0, 2), [start, { type: 'text', text: 'Half a sen' }]);
  const last = events.at(-1);
  assert.equal(events.length, 3);
  assert.equal(last?.type === 'error' && last.error.kind, 'unavailable');
});

test('says that a stream without its last line was cut off', () => {
  const lines = new TextDecoder().decode(fixture('thinking-and-text')).split('\n').slice(0, 3);
  const last = decode([new TextEncoder().encode(lines.join('\n'))]).at(-1);
  assert.equal(last?.type === 'error' && last.error.kind, 'bad_response');
});

test('gives the end with the line that brings it', () => {
  const decoder = ollama.createStreamDecoder();
  const events = decoder.push({ data: '{"message":{"content":"hi"},"done":true}' });
  assert.deepEqual(events, [
    { type: 'start', extra: {} },
    { type: 'text', text: 'hi' },
    { type: 'finish', finish: 'stop', extra: {} },
  ]);
  assert.deepEqual(decoder.push({ data: '{"message":{"content":"more"}}' }), []);
  assert.deepEqual(decoder.end(), []);
});

test('stops at a line that is no JSON object', () => {
  for (const data of ['<html>', '[]', 'null']) {
    const [event] = ollama.createStreamDecoder().push({ data });
    assert.equal(event?.type === 'error' && event.error.kind, 'bad_response');
  }
});
