import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AssistantPart,
  type JsonObject,
  type JsonValue,
  type Message,
  pairingViolations,
  type ToolCallPart,
  text,
} from '@forge/core';
import fc from 'fast-check';
import { ModelError } from '../model-error.ts';
import type { Frame, StreamEvent, WireReply, WireRequest } from '../wire.ts';
import { buildTurns } from './build-turns.ts';
import { decodeReply } from './decode-reply.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamDecoder } from './stream-decoder.ts';
import { createStreamEncoder } from './stream-encoder.ts';

const wire = 'anthropic-messages';
const runs = (numRuns: number) => ({ numRuns, seed: Number(process.env.SEED ?? 7) });
const words = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).map((s) => `w${s}w`);
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/);
const json: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 2, depthSize: 'small' })
  .map((value): JsonValue => JSON.parse(JSON.stringify(value)));
const object: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.stringMatching(/^x_[a-z]{1,4}$/),
  json.filter((value) => value !== null),
  { maxKeys: 3, noNullPrototype: true },
);
const provider = fc.option(
  fc.constantFrom<Record<string, JsonValue>>(
    { cache_control: { type: 'ephemeral' } },
    { [wire]: { caller: { type: 'direct' } } },
  ),
  { nil: undefined },
);
const withProvider = <T extends object>(part: fc.Arbitrary<T>) =>
  fc.tuple(part, provider).map(([value, own]) => (own ? { ...value, provider: own } : value));

const textPart = withProvider(words.map(text));
const imagePart = withProvider(
  fc.constantFrom<Extract<Message, { role: 'user' }>['content'][number]>(
    { type: 'image', mediaType: 'image/png', source: { data: 'AAAA' } },
    { type: 'image', mediaType: 'image/*', source: { url: 'https://example.com/x' } },
  ),
);
const opaquePart = (type: string) =>
  object.map((value) => ({ type: 'opaque' as const, wire, value: { ...value, type } }));
const thought = fc
  .tuple(fc.string(), words)
  .map(([said, signature]) => ({ type: 'reasoning' as const, text: said, signature }));
const toolCall: fc.Arbitrary<ToolCallPart> = withProvider(
  fc.record({ type: fc.constant('tool_call'), id, name: id, args: object }),
);
const said: fc.Arbitrary<AssistantPart> = fc.oneof(
  textPart,
  thought,
  opaquePart('redacted_thinking'),
);

/** A user's turn, the reply, and the results of its calls: a history this API takes as it is. */
const round: fc.Arbitrary<Message[]> = fc
  .record({
    user: fc.array(fc.oneof(textPart, imagePart, opaquePart('document')), {
      minLength: 1,
      maxLength: 3,
    }),
    reply: fc.array(said, { maxLength: 3 }),
    last: textPart,
    calls: fc.array(toolCall, { maxLength: 3 }),
    results: fc.array(fc.array(fc.oneof(textPart), { maxLength: 2 }), {
      minLength: 3,
      maxLength: 3,
    }),
  })
  .map(({ user, reply, last, calls, results }) => {
    const content = [...reply, last, ...calls];
    const messages: Message[] = [
      { role: 'user', content: user },
      { role: 'assistant', content },
    ];
    const answers = calls.map((call, at) => ({
      type: 'tool_result' as const,
      callId: call.id,
      name: call.name,
      content: results[at] ?? [],
      ...(at === 1 && { isError: false }),
    }));
    if (answers.length > 0) messages.push({ role: 'tool', content: answers });
    return messages;
  });

const history = fc
  .tuple(fc.array(textPart, { maxLength: 2 }), fc.array(round, { minLength: 1, maxLength: 3 }))
  .map(([system, rounds]): Message[] => {
    const messages = rounds.flat();
    let calls = 0;
    const renumbered = messages.map((message): Message => {
      if (message.role === 'assistant') {
        const content = message.content.map((part) =>
          part.type === 'tool_call' ? { ...part, id: `${part.id}_${calls++}` } : part,
        );
        return { ...message, content };
      }
      if (message.role !== 'tool') return message;
      let first = calls - message.content.length;
      const content = message.content.map((part) => ({
        ...part,
        callId: `${part.callId}_${first++}`,
      }));
      return { ...message, content };
    });
    return system.length > 0 ? [{ role: 'system', content: system }, ...renumbered] : renumbered;
  });

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const request: fc.Arbitrary<WireRequest> = fc.record(
  {
    model: id,
    messages: history,
    tools: fc.array(
      fc.record({
        name: id,
        description: fc.string(),
        inputSchema: object.map((schema) => ({ ...schema, type: 'object' })),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    toolChoice: fc.oneof(
      fc.constantFrom<WireRequest['toolChoice']>('auto', 'required'),
      id.map((tool) => ({ tool })),
    ),
    parallelToolCalls: fc.boolean(),
    settings: fc.record(
      {
        maxTokens: fc.integer({ min: 1 }),
        temperature: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value || 0),
        topP: fc.constantFrom(0.5, 1),
        topK: fc.nat(),
        stop: fc.array(words, { minLength: 1 }),
      },
      { requiredKeys: ['maxTokens'] },
    ),
    responseFormat: object.map((schema) => ({ type: 'json_schema' as const, schema })),
    reasoning: fc.oneof(
      fc.constant({}),
      fc.record({ effort: fc.constantFrom('none', 'low', 'xhigh') }),
      fc.record({ budgetTokens: fc.nat(), effort: fc.constant('max') }),
      fc.record({ budgetTokens: fc.nat() }),
    ),
    stream: fc.boolean(),
    extra: object,
  },
  { requiredKeys: ['model', 'messages', 'tools', 'toolChoice', 'settings', 'stream', 'extra'] },
);

const reply: fc.Arbitrary<WireReply> = fc
  .record({
    id,
    model: id,
    content: fc.array(
      fc.oneof(
        said,
        toolCall,
        textPart,
        fc.constant<AssistantPart>({ type: 'reasoning', text: 'x' }),
      ),
    ),
    stop: fc.constantFrom(
      ['stop', 'end_turn'] as const,
      ['stop', 'stop_sequence'] as const,
      ['tool_calls', 'tool_use'] as const,
      ['length', 'max_tokens'] as const,
      ['length', 'model_context_window_exceeded'] as const,
      ['content_filter', 'refusal'] as const,
      ['other', 'pause_turn'] as const,
    ),
    counts: fc.tuple(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 1000 }), fc.nat(1000)),
    thought: maybe(fc.nat()),
    extra: object,
  })
  .filter(({ stop, content }) => stop[0] !== 'stop' || content.every((p) => p.type !== 'tool_call'))
  .map(({ id, model, content, stop, counts, thought, extra }) => ({
    id,
    model,
    content,
    finish: stop[0],
    usage: {
      inputTokens: counts[0] + counts[1] + counts[2],
      outputTokens: counts[3],
      cachedInputTokens: counts[1],
      cacheWriteTokens: counts[2],
      ...(thought !== undefined && { reasoningTokens: thought }),
    },
    extra: { ...extra, stop_reason: stop[1], usage: { cache_creation_input_tokens: counts[2] } },
  }));

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('a request comes back equal', () => {
  fc.assert(
    fc.property(request, (sent) => {
      assert.deepEqual(decodeRequest(throughJson(encodeRequest(sent))), throughJson(sent));
    }),
    runs(300),
  );
});

test('a reply comes back equal', () => {
  fc.assert(
    fc.property(reply, (sent) => {
      assert.deepEqual(decodeReply(throughJson(encodeReply(sent))), throughJson(sent));
    }),
    runs(300),
  );
});

const piece: fc.Arbitrary<readonly StreamEvent[]> = fc.oneof(
  words.map((value): StreamEvent[] => [{ type: 'text', text: value }]),
  fc.tuple(words, words).map(([value, signature]): StreamEvent[] => [
    { type: 'reasoning', text: value },
    { type: 'signature', signature },
  ]),
  words.map((signature): StreamEvent[] => [
    { type: 'reasoning', text: '' },
    { type: 'signature', signature },
  ]),
  object.map((value): StreamEvent[] => [{ type: 'opaque', value: { ...value, type: 'other' } }]),
  fc
    .tuple(id, id, fc.array(words, { minLength: 1 }))
    .map(([callId, name, args]): StreamEvent[] => [
      { type: 'call', index: 0, id: callId, name },
      ...args.map((value): StreamEvent => ({ type: 'args', index: 0, text: value })),
    ]),
);

const stream: fc.Arbitrary<StreamEvent[]> = fc
  .tuple(fc.array(piece), fc.nat(1000), fc.nat(1000))
  .map(([pieces, inputTokens, outputTokens]) => {
    let calls = -1;
    const events = pieces.flat().map((event): StreamEvent => {
      if (event.type === 'call') calls++;
      return event.type === 'call' || event.type === 'args' ? { ...event, index: calls } : event;
    });
    const called = calls >= 0;
    return [
      { type: 'start', id: 'msg_1', model: 'm', extra: {} },
      ...events,
      {
        type: 'finish',
        finish: called ? 'tool_calls' : 'stop',
        usage: { inputTokens, outputTokens, cachedInputTokens: 0 },
        extra: { stop_reason: called ? 'tool_use' : 'end_turn' },
      },
    ];
  });

function decode(frames: readonly Frame[]): StreamEvent[] {
  const decoder = createStreamDecoder();
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

test('a stream comes back equal', () => {
  fc.assert(
    fc.property(stream, (events) => {
      const encoder = createStreamEncoder();
      const heard = decode(events.flatMap((event) => encoder.push(event)));
      assert.deepEqual(throughJson(heard), throughJson(events));
    }),
    runs(300),
  );
});

test('a stream cut after any frame ends in one error', () => {
  fc.assert(
    fc.property(stream, fc.nat(), (events, cut) => {
      const encoder = createStreamEncoder();
      const frames = events.flatMap((event) => encoder.push(event));
      const heard = decode(frames.slice(0, cut % (frames.length - 1)));
      assert.deepEqual(
        heard.filter(({ type }) => type === 'error'),
        [heard.at(-1)],
      );
    }),
    runs(300),
  );
});

/** Any messages at all: reused ids, orphans, blanks, nobody at the start. */
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.constantFrom<Message>(
    { role: 'user', content: [text('hello')] },
    { role: 'user', content: [text(' ')] },
    { role: 'user', content: [] },
    { role: 'system', content: [text('rules')] },
    { role: 'system', content: [text('now')], provider: { [wire]: { mid_conversation: true } } },
    { role: 'assistant', content: [text('')] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', signature: 's' }] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, text('so ')] },
  ),
  fc.array(fc.constantFrom('a', 'b', 'c.d', ''), { minLength: 1, maxLength: 3 }).map(
    (ids): Message => ({
      role: 'assistant',
      content: ids.map((callId) => ({ type: 'tool_call', id: callId, name: 't', args: {} })),
    }),
  ),
  fc.array(fc.constantFrom('a', 'b', 'c.d', '', 'zz'), { minLength: 1, maxLength: 3 }).map(
    (ids): Message => ({
      role: 'tool',
      content: ids.map((callId) => ({
        type: 'tool_result',
        callId,
        name: 't',
        content: [text('r')],
        isError: true,
      })),
    }),
  ),
);

test('any history becomes one this API takes, and stays as it is from then on', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 12 }), (messages) => {
      const turns = buildTurns(messages);
      const body = throughJson({ model: 'm', messages: turns.messages });
      const decoded = decodeRequest(body).messages;
      assert.deepEqual(pairingViolations('anthropic', decoded), []);
      assert.deepEqual(buildTurns(decoded).messages, turns.messages);
      const sent = JSON.stringify(turns.messages);
      assert.doesNotMatch(sent, /"text":"\s*"/);
      assert.doesNotMatch(sent, /"(id|tool_use_id)":"([^"]*[^\w"-][^"]*)?"/);
    }),
    runs(500),
  );
});

/** JSON that is nearly right goes deeper than JSON that is not. */
const nearly: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 1 }),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(
    fc.constantFrom(
      ...['type', 'role', 'content', 'text', 'id', 'name', 'input', 'messages', 'model', 'system'],
      ...['tools', 'tool_choice', 'thinking', 'signature', 'source', 'usage', 'stop_reason'],
      ...['message', 'delta', 'index', 'content_block', 'error', 'tool_use_id', '__proto__'],
    ),
    fc.oneof(
      tie('value'),
      fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'thinking', 'user', 'assistant'),
      fc.constantFrom('system', 'base64', 'url', 'auto', 'enabled', 'message', 'error'),
      fc.constantFrom('message_start', 'content_block_start', 'content_block_delta'),
      fc.constantFrom('message_delta', 'content_block_stop', 'message_stop'),
    ),
    { maxKeys: 6 },
  ),
})).value;

test('any JSON is decoded or refused with a ModelError', () => {
  const readers = [
    (body: unknown) => decodeRequest(body),
    (body: unknown) => decodeRequest({ model: 'm', messages: [{ role: 'user', content: body }] }),
    (body: unknown) =>
      decodeRequest({ model: 'm', messages: [{ role: 'assistant', content: body }] }),
    (body: unknown) => decodeReply(body),
    (body: unknown) => decodeReply({ content: [body] }),
  ];
  fc.assert(
    fc.property(nearly, fc.constantFrom(...readers), (value, read) => {
      try {
        read(throughJson(value));
      } catch (error) {
        assert.ok(error instanceof ModelError, String(error));
      }
    }),
    runs(2000),
  );
});

test('any frames end in finish or error and never throw', () => {
  fc.assert(
    fc.property(fc.array(nearly, { maxLength: 8 }), (values) => {
      const events = decode(values.map((value) => ({ data: JSON.stringify(value) })));
      const ends = events.filter(({ type }) => type === 'finish' || type === 'error');
      assert.deepEqual(ends, [events.at(-1)]);
    }),
    runs(1000),
  );
});
