import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantPart, Message, UserMessage } from '@forge/core';
import fc from 'fast-check';
import {
  almost,
  calls,
  conversation,
  count,
  exchange,
  finishFor,
  inOrder,
  jsonObject,
  number,
  signature,
  tool,
  word,
  words,
} from '../shared/arbitrary.test.ts';
import { assertReadsAnything } from '../shared/loopback.test.ts';
import type { Settings, StreamEvent, WireReply, WireRequest } from '../wire.ts';
import { createOllama } from './index.ts';

const ollama = createOllama({ now: () => 0 });
const runs = (numRuns: number) => ({ numRuns, seed: 7 });
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const plain = fc.constant(undefined);

/** A message is one text, one train of thought and a list of calls. */
const said: fc.Arbitrary<AssistantPart[]> = fc
  .record({ thinking: words, text: words }, { requiredKeys: [] })
  .map(({ thinking, text }) => [
    ...(thinking === undefined ? [] : [{ type: 'reasoning' as const, text: thinking }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
  ]);

const userParts: fc.Arbitrary<UserMessage['content']> = fc
  .record({ text: words, images: fc.array(signature, { maxLength: 2 }) })
  .map(({ text, images }) => [
    { type: 'text', text },
    ...images.map((tail) => ({
      type: 'image' as const,
      mediaType: 'image/png',
      source: { data: `iVBORw0KGgo${tail}` },
    })),
  ]);

const messages: fc.Arbitrary<Message[]> = fc
  .record({
    system: fc.option(words),
    turns: conversation(
      exchange({ user: userParts, said, calls: calls(plain), together: false, canSayError: false }),
    ),
  })
  .map(({ system, turns }): Message[] =>
    system === null
      ? turns
      : [{ role: 'system', content: [{ type: 'text', text: system }] }, ...turns],
  );

const settings: fc.Arbitrary<Settings> = fc.record(
  {
    temperature: number,
    topP: number,
    topK: count,
    minP: number,
    repeatPenalty: number,
    presencePenalty: number,
    frequencyPenalty: number,
    seed: count,
    maxTokens: count,
    stop: fc.array(words, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const request: fc.Arbitrary<WireRequest> = fc.record(
  {
    model: word,
    messages,
    tools: fc.array(tool, { maxLength: 3 }),
    toolChoice: fc.constant('auto' as const),
    settings,
    responseFormat: fc.oneof(
      fc.constant({ type: 'json' as const }),
      jsonObject.map((schema) => ({ type: 'json_schema' as const, schema })),
    ),
    reasoning: fc.constantFrom({}, { effort: 'none' }, { effort: 'low' }, { effort: 'max' }),
    stream: fc.boolean(),
    extra: fc.record(
      { keep_alive: words, options: fc.record({ num_ctx: count }) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['model', 'messages', 'tools', 'toolChoice', 'settings', 'stream', 'extra'] },
);

test('a request comes back as it was sent', () => {
  fc.assert(
    fc.property(request, (sent) => {
      const body = throughJson(ollama.encodeRequest(sent));
      assert.deepEqual(ollama.decodeRequest(body), throughJson(sent));
    }),
    runs(100),
  );
});

const usage = fc.record({ inputTokens: count, outputTokens: count });

const reply: fc.Arbitrary<WireReply> = fc
  .record({
    said,
    calls: fc.oneof(fc.constant([]), calls(plain)),
    head: fc.record({ model: word, usage }, { requiredKeys: ['model'] }),
    total: count,
  })
  .chain(({ said: parts, calls: made, head, total }) =>
    finishFor(made.length > 0).map((finish) => ({
      ...head,
      content: [...parts, ...made],
      finish,
      extra: { created_at: '2026-01-02T03:04:05Z', total_duration: total },
    })),
  );

test('a reply comes back as it was sent', () => {
  fc.assert(
    fc.property(reply, (sent) => {
      assert.deepEqual(
        ollama.decodeReply(throughJson(ollama.encodeReply(sent))),
        throughJson(sent),
      );
    }),
    runs(100),
  );
});

const piece: fc.Arbitrary<StreamEvent> = fc.oneof(
  words.map((text) => ({ type: 'text' as const, text })),
  words.map((text) => ({ type: 'reasoning' as const, text })),
);

const stream: fc.Arbitrary<StreamEvent[]> = fc
  .record({
    model: word,
    pieces: fc.array(piece, { maxLength: 5 }),
    calls: fc.oneof(fc.constant([]), calls(plain)),
    after: fc.array(piece, { maxLength: 2 }),
    usage: fc.option(usage, { nil: undefined }),
  })
  .chain(({ model, pieces, calls: made, after, usage: counted }) =>
    finishFor(made.length > 0).map((finish): StreamEvent[] => [
      { type: 'start', model, extra: {} },
      ...inOrder([...pieces, ...made, ...after]),
      {
        type: 'finish',
        finish,
        ...(counted && { usage: counted }),
        extra: { created_at: '2026-01-02T03:04:05Z' },
      },
    ]),
  );

test('a stream comes back as it was sent', () => {
  fc.assert(
    fc.property(stream, (sent) => {
      const encoder = ollama.createStreamEncoder();
      const decoder = ollama.createStreamDecoder();
      const frames = sent.flatMap((event) => encoder.push(event));
      const heard = frames.flatMap((frame) => decoder.push(frame));
      assert.deepEqual([...heard, ...decoder.end()], throughJson(sent));
    }),
    runs(100),
  );
});

const fields = [
  ...['model', 'messages', 'role', 'content', 'thinking', 'images', 'tool_calls', 'tool_name'],
  ...['tool_call_id', 'function', 'name', 'arguments', 'id', 'index', 'tools', 'parameters'],
  ...['format', 'options', 'stop', 'num_predict', 'think', 'stream', 'message', 'done'],
  ...['done_reason', 'prompt_eval_count', 'eval_count', 'created_at', 'error', 'type', 'text'],
];
const anything = fc.oneof(fc.jsonValue(), almost(fields));

test('anything is read or refused, and nothing else happens', () => {
  assertReadsAnything(ollama, anything, runs(500));
});
