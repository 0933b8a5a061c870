import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantPart, FinishReason, JsonObject, Message, ToolSpec } from '@forge/core';
import fc from 'fast-check';
import { orModelError } from '../shared/loopback.test.ts';
import type { StreamEvent, WireReply, WireRequest } from '../wire.ts';
import { openaiChat } from './openai-chat.ts';

/** Over the wire: what JSON does to a body. */
function sent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body));
}

const words = fc.string({ minLength: 1, maxLength: 12 });
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const jsonObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  word.filter((key) => key !== 'type'),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
  { maxKeys: 3, noNullPrototype: true },
);
const cacheMark = fc.constant({ provider: { cache_control: { type: 'ephemeral' } } });
const plain = words.map((text) => ({ type: 'text' as const, text }));
const marked = fc.tuple(plain, cacheMark).map(([part, mark]) => ({ ...part, ...mark }));
const text = fc.oneof(plain, marked);
const image = fc.oneof(
  fc
    .record({ data: fc.base64String({ minLength: 4 }), mediaType: fc.constantFrom('image/png') })
    .map(({ data, mediaType }) => ({ type: 'image' as const, mediaType, source: { data } })),
  fc.webUrl().map((url) => ({
    type: 'image' as const,
    mediaType: 'image/*',
    source: { url },
    provider: { 'openai-chat': { image_url: { detail: 'low' } } },
  })),
);
const opaque = jsonObject.map((fields) => ({
  type: 'opaque' as const,
  wire: 'openai-chat',
  value: { ...fields, type: 'input_audio' },
}));

const call = fc.record({
  name: word,
  args: fc.oneof(
    words.map((w) => `{"a": "${w}"}`),
    words,
  ),
});
const turn: fc.Arbitrary<{ said: AssistantPart[]; results: string[] }> = fc.record({
  said: fc
    .tuple(
      fc.array(
        words.map((value) => ({ type: 'reasoning' as const, text: value })),
        { maxLength: 1 },
      ),
      fc.array(text, { maxLength: 2 }),
      fc.array(call, { maxLength: 3 }),
    )
    .map(([thoughts, texts, calls]) => [
      ...thoughts,
      ...texts,
      ...calls
        .filter(({ args }) => args.trim() !== '')
        .map((one) => ({ type: 'tool_call' as const, id: '', ...one })),
    ]),
  results: fc.array(words, { minLength: 3, maxLength: 3 }),
});

/** Ids are given here, so that every result answers a call. */
function history(turns: { said: AssistantPart[]; results: string[] }[]): Message[] {
  return turns.flatMap(({ said, results }, number): Message[] => {
    const content = said.map((part, at) =>
      part.type === 'tool_call' ? { ...part, id: `id_${number}_${at}` } : part,
    );
    const answers = content.flatMap((part, at): Message[] =>
      part.type === 'tool_call'
        ? [
            {
              role: 'tool',
              content: [
                {
                  type: 'tool_result',
                  callId: part.id,
                  name: part.name,
                  content: [{ type: 'text', text: results[at % 3] ?? '-' }],
                },
              ],
            },
          ]
        : [],
    );
    return [{ role: 'assistant', content }, ...answers];
  });
}

const messages: fc.Arbitrary<Message[]> = fc
  .tuple(
    fc.array(
      fc.record({
        role: fc.constant('system' as const),
        content: fc.array(text, { maxLength: 2 }),
      }),
      { maxLength: 1 },
    ),
    fc.record({
      role: fc.constant('user' as const),
      content: fc.array(fc.oneof(text, image, opaque), { maxLength: 3 }),
    }),
    fc.array(turn, { maxLength: 3 }),
  )
  .map(([system, user, turns]) => [...system, user, ...history(turns)]);

const tool: fc.Arbitrary<ToolSpec> = fc.record(
  {
    name: word,
    description: words,
    inputSchema: jsonObject,
    provider: fc.constantFrom<JsonObject>(
      { strict: true },
      { cache_control: { type: 'ephemeral' }, 'openai-chat': { function: { tags: ['x'] } } },
    ),
  },
  { requiredKeys: ['name', 'description', 'inputSchema'] },
);

const number = fc.integer({ min: 0, max: 1000 });
const settings = fc.record(
  {
    temperature: number,
    topP: number,
    topK: number,
    minP: number,
    repeatPenalty: number,
    presencePenalty: number,
    frequencyPenalty: number,
    seed: number,
    stop: fc.array(words, { minLength: 1, maxLength: 2 }),
    maxTokens: number,
  },
  { requiredKeys: [], noNullPrototype: true },
);

const toolFields = fc.oneof(
  fc.constant({ tools: [], toolChoice: 'auto' as const }),
  fc.record(
    {
      tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
      toolChoice: fc.oneof(
        fc.constantFrom('auto' as const, 'none' as const, 'required' as const),
        word.map((name) => ({ tool: name })),
      ),
      parallelToolCalls: fc.boolean(),
    },
    { requiredKeys: ['tools', 'toolChoice'], noNullPrototype: true },
  ),
);

const request: fc.Arbitrary<WireRequest> = fc
  .tuple(
    toolFields,
    fc.record(
      {
        model: words,
        messages,
        settings,
        responseFormat: fc.oneof(
          fc.constant({ type: 'json' as const }),
          fc.record({
            type: fc.constant('json_schema' as const),
            name: word,
            schema: jsonObject,
            strict: fc.boolean(),
          }),
        ),
        reasoning: fc.record({ effort: word }, { noNullPrototype: true }),
        stream: fc.boolean(),
      },
      { requiredKeys: ['model', 'messages', 'settings', 'stream'], noNullPrototype: true },
    ),
    fc.record({ user: word, metadata: jsonObject }, { requiredKeys: [], noNullPrototype: true }),
  )
  .map(([tools, rest, extra]) => ({
    ...rest,
    ...tools,
    extra: rest.stream ? { ...extra, stream_options: { include_usage: true } } : extra,
  }));

test('reads back every request it wrote', () => {
  fc.assert(
    fc.property(request, (meant) => {
      assert.deepEqual(
        openaiChat.decodeRequest(sent(openaiChat.encodeRequest(meant))),
        sent(meant),
      );
    }),
  );
});

const usage = fc.record(
  {
    inputTokens: number,
    outputTokens: number,
    cachedInputTokens: number,
    reasoningTokens: number,
  },
  { requiredKeys: ['inputTokens', 'outputTokens'], noNullPrototype: true },
);

const endings = fc.constantFrom<{ finish: FinishReason; raw: JsonObject }[]>(
  { finish: 'stop', raw: {} },
  { finish: 'length', raw: {} },
  { finish: 'content_filter', raw: {} },
  { finish: 'other', raw: { finish_reason: 'strange' } },
);

const reply: fc.Arbitrary<WireReply> = fc
  .record({
    id: word,
    model: word,
    thought: fc.option(words),
    said: fc.option(words),
    own: fc.option(jsonObject.map((fields) => ({ reasoning_details: [fields] }))),
    calls: fc.array(call, { maxLength: 2 }),
    ending: endings,
    usage,
    created: number,
    choices: fc.array(jsonObject, { minLength: 1, maxLength: 1 }),
  })
  .map(({ thought, said, own, calls, ending, created, choices, ...rest }): WireReply => {
    const called = calls.filter(({ args }) => args.trim() !== '');
    return {
      id: rest.id,
      model: rest.model,
      content: [
        ...(thought === null ? [] : [{ type: 'reasoning' as const, text: thought }]),
        ...(said === null ? [] : [{ type: 'text' as const, text: said }]),
        ...(own === null ? [] : [{ type: 'opaque' as const, wire: 'openai-chat', value: own }]),
        ...called.map((one, at) => ({ type: 'tool_call' as const, id: `c${at}`, ...one })),
      ],
      finish: ending.finish === 'stop' && called.length > 0 ? 'tool_calls' : ending.finish,
      usage: rest.usage,
      extra: { created, choices, ...ending.raw },
    };
  });

test('reads back every reply it wrote', () => {
  fc.assert(
    fc.property(reply, (meant) => {
      assert.deepEqual(openaiChat.decodeReply(sent(openaiChat.encodeReply(meant))), sent(meant));
    }),
  );
});

const streamed: fc.Arbitrary<StreamEvent[]> = fc
  .record({
    said: fc.array(
      fc.oneof(
        words.map((value) => ({ type: 'text' as const, text: value })),
        words.map((value) => ({ type: 'reasoning' as const, text: value })),
        fc.constant({
          type: 'opaque' as const,
          wire: 'openai-chat',
          value: { annotations: [{ url: 'x' }] },
        }),
      ),
    ),
    calls: fc.array(fc.record({ name: word, pieces: fc.array(words, { minLength: 1 }) }), {
      maxLength: 3,
    }),
    ending: endings,
    usage: fc.option(usage),
    created: number,
  })
  .map(({ said, calls, ending, usage: counted, created }): StreamEvent[] => [
    { type: 'start', id: 'r1', model: 'm', extra: { created } },
    ...said,
    ...calls.flatMap(({ name, pieces }, index): StreamEvent[] => [
      { type: 'call', index, id: `c${index}`, name },
      ...pieces.map((piece) => ({ type: 'args' as const, index, text: piece })),
    ]),
    {
      type: 'finish',
      finish: ending.finish === 'stop' && calls.length > 0 ? 'tool_calls' : ending.finish,
      ...(counted === null ? {} : { usage: counted, cost: 0.25 }),
      extra: ending.raw,
    },
  ]);

function overTheStream(events: readonly StreamEvent[]): StreamEvent[] {
  const encoder = openaiChat.createStreamEncoder();
  const decoder = openaiChat.createStreamDecoder();
  const frames = events.flatMap((event) => encoder.push(event));
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

test('reads back every stream it wrote', () => {
  fc.assert(fc.property(streamed, (meant) => assert.deepEqual(overTheStream(meant), meant)));
});

test('reads the same whether a chunk goes the short way or through the schema', () => {
  fc.assert(
    fc.property(streamed, (meant) => {
      const encoder = openaiChat.createStreamEncoder();
      const decoder = openaiChat.createStreamDecoder();
      const frames = meant.flatMap((event) => encoder.push(event));
      // An index as text is understood, but not on the short way.
      const events = frames.flatMap(({ data }) =>
        decoder.push({ data: data.replace('"choices":[{"index":0,', '"choices":[{"index":"0",') }),
      );
      assert.deepEqual(events, meant);
    }),
  );
});

/** JSON that often has the names this wire looks at, and what it does not expect behind them. */
const nearly: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      null,
      '',
      'x',
      0,
      -1,
      '3',
      true,
      'tool',
      'user',
      'assistant',
      'system',
      'function',
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        ...['messages', 'role', 'content', 'tools', 'function', 'name', 'arguments', 'tool_calls'],
        ...[
          'choices',
          'message',
          'delta',
          'index',
          'id',
          'type',
          'text',
          'image_url',
          'url',
          'usage',
        ],
        ...['error', 'code', 'metadata', 'headers', 'finish_reason', 'tool_call_id', 'reasoning'],
        ...['reasoning_details', 'function_call', 'response_format', 'json_schema', '__proto__'],
        ...['tool_choice', 'stop', 'prompt_tokens', 'prompt_tokens_details', 'x_groq', 'detail'],
      ),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
})).value;

test('any JSON decodes or fails with a ModelError', () => {
  fc.assert(
    fc.property(fc.oneof(nearly, fc.jsonValue()), (value) => {
      const body = sent(value);
      orModelError(() => openaiChat.encodeRequest(openaiChat.decodeRequest(body)));
      orModelError(() => openaiChat.encodeRequest(openaiChat.decodeRequest({ messages: [body] })));
      orModelError(() => openaiChat.encodeReply(openaiChat.decodeReply(body)));
      orModelError(() =>
        openaiChat.encodeReply(openaiChat.decodeReply({ choices: [{ message: body }] })),
      );
      for (const chunk of [body, { choices: [{ delta: body }] }]) {
        const decoder = openaiChat.createStreamDecoder();
        const encoder = openaiChat.createStreamEncoder();
        const events = [...decoder.push({ data: JSON.stringify(chunk) }), ...decoder.end()];
        for (const event of events) encoder.push(event);
      }
      openaiChat.decodeError({ status: 400, headers: {}, body: JSON.stringify(body) });
    }),
    { numRuns: 1000 },
  );
});
