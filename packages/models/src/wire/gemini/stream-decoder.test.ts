import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertSameHoweverCut, hear } from '../shared/loopback.test.ts';
import type { StreamEvent } from '../wire.ts';
import { gemini } from './index.ts';

function decode(chunks: Iterable<Uint8Array>): StreamEvent[] {
  return hear(gemini, chunks);
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./__fixtures__/${name}.sse`, import.meta.url));
}

const start: StreamEvent = {
  type: 'start',
  id: 'rsp_Ab12',
  model: 'gemini-3-flash-preview',
  extra: {},
};
const textDetails = (tokenCount: number) => ({
  promptTokensDetails: [{ modality: 'TEXT', tokenCount }],
});

const expected: Record<string, StreamEvent[]> = {
  'thoughts-and-text': [
    start,
    { type: 'reasoning', text: '**Weighing the question**\n\n' },
    { type: 'reasoning', text: 'The user wants a café — ☕.' },
    { type: 'text', text: 'Try the one' },
    { type: 'text', text: ' by the river 🏞️.' },
    {
      type: 'opaque',
      wire: 'gemini',
      value: { text: '', thoughtSignature: 'c2VhbGVkLXRob3VnaHQ=' },
    },
    {
      type: 'finish',
      finish: 'stop',
      usage: { inputTokens: 12, outputTokens: 49, reasoningTokens: 41 },
      extra: { usageMetadata: textDetails(12) },
    },
  ],
  'parallel-calls': [
    start,
    { type: 'text', text: 'I will look both up.' },
    {
      type: 'call',
      index: 0,
      id: 'get_weather_0_rsp_Ab12',
      name: 'get_weather',
      provider: { gemini: { thoughtSignature: 'c2lnLW9uZQ==', generatedId: true } },
    },
    { type: 'args', index: 0, text: '{"city":"Zürich","days":2}' },
    {
      type: 'call',
      index: 1,
      id: 'get_weather_1_rsp_Ab12',
      name: 'get_weather',
      provider: { gemini: { generatedId: true } },
    },
    { type: 'args', index: 1, text: '{"city":"東京"}' },
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: { inputTokens: 80, outputTokens: 43, reasoningTokens: 12 },
      extra: { usageMetadata: textDetails(80) },
    },
  ],
  'identified-calls': [
    start,
    {
      type: 'call',
      index: 0,
      id: 'fc-1',
      name: 'search',
      provider: { gemini: { thoughtSignature: 'c2lnLXR3bw==' } },
    },
    { type: 'args', index: 0, text: '{"q":"a \\"quoted\\" word"}' },
    { type: 'call', index: 1, id: 'fc-2', name: 'stop' },
    { type: 'args', index: 1, text: '{}' },
    {
      type: 'finish',
      finish: 'tool_calls',
      usage: { inputTokens: 9, outputTokens: 4 },
      extra: { usageMetadata: textDetails(9) },
    },
  ],
  'code-execution': [
    start,
    {
      type: 'opaque',
      wire: 'gemini',
      value: {
        executableCode: { language: 'PYTHON', code: 'print(6*7)' },
        thoughtSignature: 'c2lnLWNvZGU=',
      },
    },
    {
      type: 'opaque',
      wire: 'gemini',
      value: { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
    },
    { type: 'text', text: 'It is 42.' },
    {
      type: 'finish',
      finish: 'stop',
      usage: { inputTokens: 41, outputTokens: 9 },
      extra: {
        candidate: { groundingMetadata: { webSearchQueries: ['6*7'] } },
        usageMetadata: { ...textDetails(30), toolUsePromptTokenCount: 11 },
      },
    },
  ],
  'refused-prompt': [
    start,
    {
      type: 'finish',
      finish: 'content_filter',
      usage: { inputTokens: 7, outputTokens: 0 },
      extra: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
    },
  ],
};

for (const [name, events] of Object.entries(expected)) {
  test(`hears ${name} the same wherever it is cut`, () => {
    assertSameHoweverCut(gemini, fixture(name), events);
  });
}

test('ends with the error the stream carries', () => {
  const events = decode([fixture('failing')]);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['start', 'text', 'error'],
  );
  const last = events.at(-1);
  assert.equal(last?.type === 'error' && last.error.kind, 'overloaded');
  assert.equal(last?.type === 'error' && last.error.status, 503);
});

test('reads an error wrapped in a list', () => {
  const decoder = gemini.createStreamDecoder();
  const data = JSON.stringify([
    { error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } },
  ]);
  const [event] = decoder.push({ data });
  assert.equal(event?.type === 'error' && event.error.kind, 'rate_limited');
  assert.deepEqual(decoder.end(), []);
});

test('says that a stream without a finish reason was cut off', () => {
  const bytes = fixture('thoughts-and-text');
  const text = new TextDecoder().decode(bytes).split('\r\n\r\n').slice(0, 3).join('\r\n\r\n');
  const last = decode([new TextEncoder().encode(text)]).at(-1);
  assert.equal(last?.type === 'error' && last.error.kind, 'bad_response');
});

test('says that a stream of nothing was cut off', () => {
  const [event] = gemini.createStreamDecoder().end();
  assert.equal(event?.type === 'error' && event.error.kind, 'bad_response');
});

test('stops at a chunk that is no JSON', () => {
  const decoder = gemini.createStreamDecoder();
  const [event] = decoder.push({ data: '<html>' });
  assert.equal(event?.type === 'error' && event.error.kind, 'bad_response');
  assert.deepEqual(decoder.push({ data: '{"candidates":[]}' }), []);
});

test('keeps a signature with the words it came on, and these apart from others', () => {
  const decoder = gemini.createStreamDecoder();
  const parts = [{ text: 'So' }, { text: 'Hi.', thoughtSignature: 'c2ln' }, { text: 'Yes' }];
  const events = decoder.push({ data: JSON.stringify({ candidates: [{ content: { parts } }] }) });
  assert.deepEqual(events.slice(1), [
    { type: 'text', text: 'So' },
    { type: 'text', text: 'Hi.', provider: { gemini: { thoughtSignature: 'c2ln' } } },
    { type: 'text', text: 'Yes', provider: {} },
  ]);
});

test('hears only the first candidate', () => {
  const decoder = gemini.createStreamDecoder();
  const candidates = [
    { index: 1, content: { parts: [{ text: 'B' }] } },
    { index: 0, content: { parts: [{ text: 'A' }] } },
  ];
  const events = decoder.push({ data: JSON.stringify({ candidates }) });
  assert.deepEqual(events.slice(1), [{ type: 'text', text: 'A' }]);
});

test('keeps the reason Gemini gives when ours says less', () => {
  const decoder = gemini.createStreamDecoder();
  const candidate = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'print(x)' };
  decoder.push({ data: JSON.stringify({ candidates: [candidate] }) });
  assert.deepEqual(decoder.end(), [
    {
      type: 'finish',
      finish: 'other',
      extra: {
        candidate: { finishMessage: 'print(x)' },
        finishReason: 'MALFORMED_FUNCTION_CALL',
      },
    },
  ]);
});
