import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createSseDecoder } from '../../framing/index.ts';
import { assertSameHoweverCut, hear as hearBytes } from '../shared/loopback.test.ts';
import { twoTowns } from '../shared/two-towns.test.ts';
import type { StreamEvent } from '../wire.ts';
import { createStreamDecoder } from './stream-decoder.ts';

const folder = new URL('./__fixtures__/', import.meta.url);
const bytesOf = (name: string): Uint8Array => readFileSync(new URL(name, folder));

const wire = { framing: 'sse', createStreamDecoder } as const;

function hear(pieces: readonly Uint8Array[]): StreamEvent[] {
  return hearBytes(wire, pieces);
}

const started = {
  input_tokens: 12,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
  service_tier: 'standard',
};
const start: StreamEvent = {
  type: 'start',
  id: 'msg_01',
  model: 'claude-test-1',
  extra: { usage: started },
};
const usage = { inputTokens: 12, outputTokens: 1, cachedInputTokens: 0 };
const tier = { service_tier: 'standard' };
const citation = {
  type: 'web_search_result_location',
  cited_text: 'Twice a day.',
  url: 'https://example.com/tides',
  title: 'Tides',
  encrypted_index: 'aWR4',
};

const expected: Record<string, StreamEvent[]> = {
  'text.sse': [
    start,
    { type: 'text', text: 'Grüße, ' },
    { type: 'text', text: 'Welt 🌍\n' },
    { type: 'text', text: 'second line' },
    {
      type: 'finish',
      finish: 'stop',
      usage: { ...usage, outputTokens: 9 },
      extra: { stop_reason: 'stop_sequence', stop_sequence: 'END', usage: tier },
    },
  ],
  'parallel-tools.sse': [
    {
      type: 'start',
      id: 'msg_01',
      model: 'claude-test-1',
      extra: {
        usage: {
          input_tokens: 5,
          cache_creation_input_tokens: 100,
          cache_read_input_tokens: 2000,
          cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
          output_tokens: 1,
          service_tier: 'standard',
        },
      },
    },
    { type: 'text', text: 'Both at once.' },
    {
      type: 'call',
      index: 0,
      id: 'toolu_a',
      name: 'weather',
      provider: { 'anthropic-messages': { caller: { type: 'direct' } } },
    },
    { type: 'args', index: 0, text: '{"city": "Zü' },
    { type: 'args', index: 0, text: 'rich"}' },
    { type: 'call', index: 1, id: 'toolu_b', name: 'clock' },
    { type: 'args', index: 1, text: '{}' },
    { type: 'call', index: 2, id: 'toolu_c', name: 'weather' },
    { type: 'args', index: 2, text: '{"city":"Bern"}' },
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: {
        inputTokens: 2105,
        outputTokens: 61,
        cachedInputTokens: 2000,
        cacheWriteTokens: 100,
      },
      extra: {
        stop_reason: 'tool_use',
        usage: {
          cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
          cache_creation_input_tokens: 100,
          ...tier,
        },
      },
    },
  ],
  'thinking.sse': [
    start,
    { type: 'reasoning', text: 'First this, ' },
    { type: 'reasoning', text: 'then that.' },
    { type: 'signature', signature: 'c2lnbmVk' },
    { type: 'reasoning', text: '' },
    { type: 'signature', signature: 'b21pdHRlZA==' },
    { type: 'opaque', value: { type: 'redacted_thinking', data: 'c2VhbGVk' } },
    { type: 'text', text: 'Done.' },
    {
      type: 'finish',
      finish: 'stop',
      usage: { ...usage, outputTokens: 40, reasoningTokens: 31 },
      extra: { stop_reason: 'end_turn', usage: tier },
    },
  ],
  'server-tools.sse': [
    start,
    {
      type: 'opaque',
      value: {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'web_search',
        input: { query: 'tides' },
      },
    },
    {
      type: 'opaque',
      value: {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [
          {
            type: 'web_search_result',
            title: 'Tides',
            url: 'https://example.com/tides',
            encrypted_content: 'ZW5j',
            page_age: null,
          },
        ],
      },
    },
    { type: 'text', text: 'Twice a day.', provider: {} },
    { type: 'text', text: '', provider: { 'anthropic-messages': { citations: [citation] } } },
    { type: 'opaque', value: { type: 'compaction', content: 'What was said.' } },
    {
      type: 'finish',
      finish: 'other',
      usage: { ...usage, outputTokens: 50 },
      extra: {
        stop_reason: 'pause_turn',
        container: { id: 'container_1', expires_at: '2030-01-01T00:00:00Z' },
        context_management: { applied_edits: [] },
        usage: { ...tier, server_tool_use: { web_search_requests: 1 } },
      },
    },
  ],
  'overloaded.sse': [
    start,
    { type: 'text', text: 'Half a sen' },
    { type: 'error', error: { kind: 'overloaded', message: 'Overloaded' } },
  ],
  'cut-call.sse': [
    start,
    { type: 'call', index: 0, id: 'toolu_a', name: 'clock' },
    { type: 'args', index: 0, text: '{}' },
    { type: 'call', index: 1, id: 'toolu_b', name: 'write' },
    {
      type: 'finish',
      finish: 'length',
      usage: { ...usage, outputTokens: 4096 },
      extra: { stop_reason: 'max_tokens', usage: tier },
    },
  ],
  'whole-at-start.sse': [
    start,
    {
      type: 'opaque',
      value: {
        type: 'code_execution_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'code_execution_result',
          stdout: '4\n',
          stderr: '',
          return_code: 0,
          content: [],
        },
      },
    },
    { type: 'call', index: 0, id: 'toolu_a', name: 'lookup' },
    { type: 'args', index: 0, text: '{"id":7}' },
    {
      type: 'finish',
      finish: 'tool_calls',
      usage,
      extra: { stop_reason: 'tool_use', usage: tier },
    },
  ],
  'llamacpp-b9844-parallel-calls.sse': [
    {
      type: 'start',
      id: 'chatcmpl-YCg4z3V6bfS5XGLIkSARyxwNpeE1VTXt',
      model: 'tinyllama.gguf',
      extra: { usage: { cache_read_input_tokens: 449, input_tokens: 1, output_tokens: 0 } },
    },
    ...twoTowns('rFOnHkwLMegC1tix7HaW9VEP11U9Yw1V', 'quW8CVUMzJ8aOVUccFfATsWk4DwG3Dic'),
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: { inputTokens: 450, outputTokens: 67, cachedInputTokens: 449 },
      extra: { stop_reason: 'tool_use' },
    },
  ],
  'llamacpp-b9844-cut-text.sse': [
    {
      type: 'start',
      id: 'chatcmpl-DtnX3zkUnCjOqZxPycEpMfOWdtiJzymp',
      model: 'tinyllama.gguf',
      extra: { usage: { cache_read_input_tokens: 36, input_tokens: 1, output_tokens: 0 } },
    },
    ...['S', 'ay', ' hello', ' in'].map((text): StreamEvent => ({ type: 'text', text })),
    {
      type: 'finish',
      finish: 'length',
      usage: { inputTokens: 37, outputTokens: 4, cachedInputTokens: 36 },
      extra: { stop_reason: 'max_tokens' },
    },
  ],
  'lenient.sse': [
    {
      type: 'start',
      id: 'msg_01',
      model: 'claude-test-1',
      extra: { usage: { input_tokens: '7', output_tokens: 0 } },
    },
    { type: 'text', text: 'ok' },
    {
      type: 'finish',
      finish: 'stop',
      usage: { inputTokens: 7, outputTokens: 2 },
      extra: { stop_reason: 'end_turn' },
    },
  ],
};

test('every stream has its events written down', () => {
  assert.deepEqual(readdirSync(folder).sort(), Object.keys(expected).sort());
});

for (const [name, events] of Object.entries(expected)) {
  test(`${name} is read the same when cut at any byte, and byte by byte`, () => {
    assertSameHoweverCut(wire, bytesOf(name), events);
  });

  test(`${name} always ends in finish or error, wherever it stops`, () => {
    const bytes = bytesOf(name);
    for (let length = 0; length < bytes.length; length++) {
      const heard = hear([bytes.subarray(0, length)]);
      const ends = heard.filter(({ type }) => type === 'finish' || type === 'error');
      assert.deepEqual(ends, [heard.at(-1)], `${length} bytes`);
    }
  });
}

test('an event comes out with the frame that completed it', () => {
  const frames = createSseDecoder().push(bytesOf('text.sse'));
  const decoder = createStreamDecoder();
  const counts = frames.map((frame) => decoder.push(frame).length);
  assert.deepEqual(counts, [1, 0, 0, 1, 1, 1, 0, 0, 1]);
});

test('what cannot be read ends the stream', () => {
  for (const data of ['{"type":', '17', '{"type":"content_block_start"}']) {
    const decoder = createStreamDecoder();
    const [event, ...more] = decoder.push({ data });
    assert.equal(event?.type === 'error' && event.error.kind, 'bad_response', data);
    assert.deepEqual([...more, ...decoder.push({ data }), ...decoder.end()], []);
  }
});

test('a piece of a block that was never started ends the stream', () => {
  const data = '{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"x"}}';
  const [event] = createStreamDecoder().push({ data });
  assert.match(event?.type === 'error' ? event.error.message : '', /block 4/);
});

test('arguments that come after the stop of their block still belong to it', () => {
  const frames = [
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"t"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}}',
    '{"type":"content_block_stop","index":0}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"}"}}',
  ];
  const decoder = createStreamDecoder();
  assert.deepEqual(
    frames.flatMap((data) => decoder.push({ data })),
    [
      { type: 'call', index: 0, id: 'a', name: 't' },
      { type: 'args', index: 0, text: '{' },
      { type: 'args', index: 0, text: '}' },
    ],
  );
});

test('a stream that never counted has no usage', () => {
  const decoder = createStreamDecoder();
  decoder.push({ data: '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}' });
  assert.deepEqual(decoder.push({ data: '{"type":"message_stop"}' }), [
    { type: 'finish', finish: 'stop', extra: { stop_reason: 'end_turn' } },
  ]);
});
