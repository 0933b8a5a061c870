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
import { gemini } from './index.ts';

const runs = (numRuns: number) => ({ numRuns, seed: 7 });
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const signed = fc.option(
  signature.map((thoughtSignature) => ({ gemini: { thoughtSignature } })),
  { nil: undefined },
);
const opaque = words.map((code) => ({
  type: 'opaque' as const,
  wire: 'gemini',
  value: { executableCode: { language: 'PYTHON', code } },
}));

const said: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc
    .record({ text: words, provider: signed })
    .map(({ text, provider }) => ({ type: 'text' as const, text, ...(provider && { provider }) })),
  words.map((text) => ({ type: 'reasoning' as const, text })),
  fc.record({
    type: fc.constant('reasoning' as const),
    text: words,
    signature,
    provider: fc.constant({ gemini: { signed: true } }),
  }),
  opaque,
);

const userParts: fc.Arbitrary<UserMessage['content']> = fc.array(
  fc.oneof(
    words.map((text) => ({ type: 'text' as const, text })),
    fc.record({
      type: fc.constant('image' as const),
      mediaType: fc.constantFrom('image/png', 'image/jpeg'),
      source: fc.oneof(
        fc.record({ data: signature }),
        fc.record({ url: word.map((name) => `https://pictures.example/${name}.png`) }),
      ),
    }),
    opaque,
  ),
  { minLength: 1, maxLength: 3 },
);

const messages: fc.Arbitrary<Message[]> = fc
  .record({
    system: fc.array(
      words.map((text) => ({ type: 'text' as const, text })),
      { maxLength: 2 },
    ),
    turns: conversation(
      exchange({
        user: userParts,
        said: fc.array(said, { minLength: 1, maxLength: 3 }),
        calls: calls(signed),
        together: true,
        canSayError: true,
      }),
    ),
  })
  .map(({ system, turns }): Message[] =>
    system.length === 0 ? turns : [{ role: 'system', content: system }, ...turns],
  );

const settings: fc.Arbitrary<Settings> = fc.record(
  {
    temperature: number,
    topP: number,
    topK: count,
    presencePenalty: number,
    frequencyPenalty: number,
    seed: count,
    maxTokens: count,
    stop: fc.array(words, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const request: fc.Arbitrary<WireRequest> = fc
  .record(
    {
      model: fc.constant('gemini-2.5-flash'),
      messages,
      tools: fc.uniqueArray(tool, { maxLength: 3, selector: ({ name }) => name }),
      toolChoice: fc.constantFrom('auto' as const, 'none' as const, 'required' as const),
      settings,
      responseFormat: fc.oneof(
        fc.constant({ type: 'json' as const }),
        jsonObject.map((schema) => ({ type: 'json_schema' as const, schema })),
      ),
      reasoning: fc.oneof(
        fc.constant({}),
        count.map((budgetTokens) => ({ budgetTokens })),
      ),
      stream: fc.boolean(),
      extra: fc.record(
        { safetySettings: fc.array(jsonObject), cachedContent: words },
        { requiredKeys: [] },
      ),
    },
    {
      requiredKeys: ['model', 'messages', 'tools', 'toolChoice', 'settings', 'stream', 'extra'],
    },
  )
  .map((made): WireRequest => {
    const [first] = made.tools;
    if (first === undefined) return { ...made, toolChoice: 'auto' };
    return made.toolChoice === 'required' && made.settings.seed !== undefined
      ? { ...made, toolChoice: { tool: first.name } }
      : made;
  });

test('a request comes back as it was sent', () => {
  fc.assert(
    fc.property(request, (sent) => {
      const { model, stream } = sent;
      const body = throughJson(gemini.encodeRequest(sent));
      assert.deepEqual(gemini.decodeRequest(body, { model, stream }), throughJson(sent));
    }),
    runs(100),
  );
});

const usage = fc
  .record(
    { inputTokens: count, answer: count, cachedInputTokens: count, reasoningTokens: count },
    { requiredKeys: ['inputTokens', 'answer'] },
  )
  .map(({ answer, ...rest }) => ({
    ...rest,
    outputTokens: answer + (rest.reasoningTokens ?? 0),
  }));

const reply: fc.Arbitrary<WireReply> = fc
  .record({
    said: fc.array(said, { maxLength: 3 }),
    calls: fc.oneof(fc.constant([]), calls(signed)),
    head: fc.record({ id: word, model: word, usage }, { requiredKeys: [] }),
    extra: fc.record(
      { createTime: words, candidate: fc.record({ avgLogprobs: number }) },
      { requiredKeys: [] },
    ),
  })
  .chain(({ said: parts, calls: made, head, extra }) =>
    finishFor(made.length > 0).map((finish) => ({
      ...head,
      content: [...parts, ...made],
      finish,
      extra,
    })),
  );

test('a reply comes back as it was sent', () => {
  fc.assert(
    fc.property(reply, (sent) => {
      assert.deepEqual(
        gemini.decodeReply(throughJson(gemini.encodeReply(sent))),
        throughJson(sent),
      );
    }),
    runs(100),
  );
});

const piece: fc.Arbitrary<StreamEvent> = fc.oneof(
  words.map((text) => ({ type: 'reasoning' as const, text })),
  signature.map((proof) => ({
    type: 'signature' as const,
    signature: proof,
    provider: { gemini: { signed: true } },
  })),
  fc.record({ text: words, provider: signed }).map(({ text, provider }) => ({
    type: 'text' as const,
    text,
    ...(provider && { provider }),
  })),
  opaque,
);

/** Words after signed ones begin a text of their own, and say so. */
function apart(pieces: StreamEvent[]): StreamEvent[] {
  return pieces.map((one, at) => {
    const before = pieces[at - 1];
    const follows = before?.type === 'text' && before.provider?.gemini !== undefined;
    return one.type === 'text' && !one.provider && follows ? { ...one, provider: {} } : one;
  });
}

const stream: fc.Arbitrary<StreamEvent[]> = fc
  .record({
    head: fc.record({ id: word, model: word }, { requiredKeys: [] }),
    pieces: fc.array(piece, { maxLength: 5 }),
    calls: fc.oneof(fc.constant([]), calls(signed)),
    after: fc.array(piece, { maxLength: 2 }),
    usage: fc.option(usage, { nil: undefined }),
  })
  .chain(({ head, pieces, calls: made, after, usage: counted }) =>
    finishFor(made.length > 0).map((finish): StreamEvent[] => [
      { type: 'start', ...head, extra: {} },
      ...apart(inOrder([...pieces, ...made, ...after])),
      { type: 'finish', finish, ...(counted && { usage: counted }), extra: {} },
    ]),
  );

test('a stream comes back as it was sent', () => {
  fc.assert(
    fc.property(stream, (sent) => {
      const encoder = gemini.createStreamEncoder();
      const decoder = gemini.createStreamDecoder();
      const frames = sent.flatMap((event) => encoder.push(event));
      const heard = frames.flatMap((frame) => decoder.push(frame));
      assert.deepEqual([...heard, ...decoder.end()], throughJson(sent));
    }),
    runs(100),
  );
});

const fields = [
  ...['contents', 'parts', 'role', 'text', 'thought', 'thoughtSignature', 'functionCall'],
  ...[
    'functionResponse',
    'response',
    'name',
    'args',
    'id',
    'inlineData',
    'inline_data',
    'mimeType',
  ],
  ...['data', 'tools', 'functionDeclarations', 'parameters', 'type', 'properties', 'items'],
  ...['toolConfig', 'functionCallingConfig', 'mode', 'generationConfig', 'thinkingConfig'],
  ...['stopSequences', 'responseSchema', 'systemInstruction', 'candidates', 'content'],
  ...['finishReason', 'usageMetadata', 'promptTokenCount', 'promptFeedback', 'error', 'details'],
];
const anything = fc.oneof(fc.jsonValue(), almost(fields));

test('anything is read or refused, and nothing else happens', () => {
  assertReadsAnything(gemini, anything, runs(500));
});
