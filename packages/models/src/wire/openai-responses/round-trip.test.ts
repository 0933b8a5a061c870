import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  AssistantPart,
  FinishReason,
  ImagePart,
  JsonObject,
  JsonValue,
  Message,
  TextPart,
  ToolChoice,
  ToolSpec,
  Usage,
} from '@forge/core';
import fc from 'fast-check';
import { orModelError } from '../shared/loopback.test.ts';
import type { ResponseFormat, StreamEvent, WireReply, WireRequest } from '../wire.ts';
import { createOpenaiResponses } from './index.ts';

let ids = 0;
const wire = createOpenaiResponses({ newId: () => String(ids++), now: () => 0 });

const json = parsed(fc.jsonValue({ maxDepth: 3 }));
const name = fc.stringMatching(/^[a-z][a-z_]{0,8}$/);
const words = fc.string({ unit: 'grapheme', maxLength: 20 });
const someWords = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

const text: fc.Arbitrary<TextPart> = words.map((value) => ({ type: 'text', text: value }));
const image: fc.Arbitrary<ImagePart> = fc.oneof(
  fc.base64String({ minLength: 4 }).map((data): ImagePart => {
    return { type: 'image', mediaType: 'image/png', source: { data } };
  }),
  fc.webUrl().map((url): ImagePart => {
    return { type: 'image', mediaType: 'image/*', source: { url } };
  }),
);
const file: JsonObject = { type: 'input_file', file_id: 'file_1' };

/** A turn: what a person says, what the model answers, and what its calls bring. */
const turn = fc.record({
  user: fc.array(
    fc.oneof(text, image, fc.constant({ type: 'opaque' as const, wire: wire.name, value: file })),
    { maxLength: 3 },
  ),
  before: fc.array(text, { maxLength: 2 }),
  calls: fc.array(fc.record({ name, args: words }), { maxLength: 3 }),
  results: fc.array(fc.oneof(text, image), { maxLength: 3 }),
});

const messages: fc.Arbitrary<Message[]> = fc
  .record({ system: fc.option(words), turns: fc.array(turn, { maxLength: 3 }) })
  .map(({ system, turns }) => {
    const list: Message[] = [];
    if (system !== null) list.push({ role: 'system', content: [{ type: 'text', text: system }] });
    turns.forEach(({ user, before, calls, results }, at) => {
      list.push({ role: 'user', content: user });
      const content: AssistantPart[] = [
        ...before,
        ...calls.map((call, index): AssistantPart => {
          return { type: 'tool_call', id: `call_${at}_${index}`, ...call };
        }),
      ];
      if (content.length > 0) list.push({ role: 'assistant', content });
      if (calls.length === 0) return;
      list.push({
        role: 'tool',
        content: calls.map((call, index) => ({
          type: 'tool_result' as const,
          callId: `call_${at}_${index}`,
          name: call.name,
          content: results,
        })),
      });
    });
    return list;
  });

const schema = fc.record({
  type: fc.constant('object'),
  properties: fc.dictionary(name, fc.constant({})),
});
const tools: fc.Arbitrary<ToolSpec[]> = fc.array(
  fc.record({ name, description: words, inputSchema: schema }),
  { maxLength: 3 },
);
const toolChoice: fc.Arbitrary<ToolChoice> = fc.oneof(
  fc.constantFrom<ToolChoice>('auto', 'none', 'required'),
  name.map((tool) => ({ tool })),
);
const format: fc.Arbitrary<ResponseFormat> = fc.oneof(
  fc.constant<ResponseFormat>({ type: 'json' }),
  fc
    .record({ name, schema })
    .map((it): ResponseFormat => ({ type: 'json_schema', ...it, strict: true })),
);
const extra = fc.dictionary(
  name.map((it) => `x_${it}`),
  json,
  { maxKeys: 3 },
);
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((it) => !Object.is(it, -0));

const request: fc.Arbitrary<WireRequest> = fc.record(
  {
    model: name,
    messages,
    tools,
    toolChoice,
    parallelToolCalls: fc.boolean(),
    settings: fc.record(
      { temperature: number, topP: number, maxTokens: fc.nat() },
      { requiredKeys: [] },
    ),
    responseFormat: format,
    reasoning: fc.record({ effort: name }),
    stream: fc.boolean(),
    extra,
  },
  { requiredKeys: ['model', 'messages', 'tools', 'toolChoice', 'settings', 'stream', 'extra'] },
);

test('a request comes out of its encoding as it was', () => {
  fc.assert(
    fc.property(request, (original) => {
      const body: unknown = JSON.parse(JSON.stringify(wire.encodeRequest(original)));
      assert.deepEqual(wire.decodeRequest(body), plain(original));
    }),
  );
});

const id = fc.nat({ max: 1_000_000 });
const summary = fc.array(
  words.map((value) => ({ type: 'summary_text', text: value })),
  { maxLength: 3 },
);

/** Items as the API writes them, whole turns at a time. */
const output: fc.Arbitrary<JsonObject[]> = fc.uniqueArray(
  fc.oneof(
    fc.record({ id, summary, proof: fc.option(someWords, { nil: undefined }) }).map((it) => ({
      id: `rs_${it.id}`,
      type: 'reasoning',
      summary: it.summary,
      ...(it.proof === undefined ? {} : { encrypted_content: it.proof }),
    })),
    fc.record({ id, texts: fc.array(words, { minLength: 1, maxLength: 2 }) }).map((it) => ({
      id: `msg_${it.id}`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: it.texts.map((value) => ({ type: 'output_text', text: value, annotations: [] })),
    })),
    fc.record({ id, name, args: words }).map((it) => ({
      id: `fc_${it.id}`,
      type: 'function_call',
      status: 'completed',
      call_id: `call_${it.id}`,
      name: it.name,
      arguments: it.args,
    })),
    id.map((it) => ({ id: `ws_${it}`, type: 'web_search_call', status: 'completed' })),
  ),
  { selector: (item) => item.id, maxLength: 6 },
);

test('the items of a response go back unchanged in the next request', () => {
  fc.assert(
    fc.property(output, (items) => {
      const { content } = wire.decodeReply({ status: 'completed', output: items });
      const body = wire.encodeRequest({
        model: 'm',
        messages: [{ role: 'assistant', content: [...content] }],
        tools: [],
        toolChoice: 'auto',
        settings: {},
        stream: false,
        extra: {},
      });
      assert.deepEqual(body.input ?? [], items);
    }),
  );
});

test('the items of a request come out of decoding and encoding unchanged', () => {
  fc.assert(
    fc.property(output, (items) => {
      const input = [{ type: 'message', role: 'developer', content: '' }, ...items];
      const body = { model: 'm', input };
      assert.deepEqual(wire.encodeRequest(wire.decodeRequest(body)), body);
    }),
  );
});

const usage: fc.Arbitrary<Usage> = fc.record({
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  cachedInputTokens: fc.nat(),
  reasoningTokens: fc.nat(),
});

function finishOf(hasCalls: boolean): fc.Arbitrary<FinishReason> {
  return fc.constantFrom(hasCalls ? 'tool_calls' : 'stop', 'length', 'content_filter', 'other');
}

/** The mark of a proof that came on this wire. */
const signed = { [wire.name]: { signed: true } };

const replyExtra = extra.map((it) => ({ ...it, created_at: 1 }));
const content = fc.array(
  fc.oneof(
    text,
    fc.record({ text: words, signature: someWords }).map((it): AssistantPart => {
      return { type: 'reasoning', ...it, provider: signed };
    }),
    words.map((value): AssistantPart => ({ type: 'reasoning', text: value })),
    fc.record({ id: fc.uuid(), name, args: words }).map((it): AssistantPart => {
      return { type: 'tool_call', ...it };
    }),
    id.map((it): AssistantPart => {
      return {
        type: 'opaque',
        wire: wire.name,
        value: { type: 'web_search_call', id: `ws_${it}` },
      };
    }),
  ),
  { maxLength: 5 },
);

const reply: fc.Arbitrary<WireReply> = content.chain((parts) =>
  fc.record(
    {
      id: name,
      model: name,
      content: fc.constant(parts),
      finish: finishOf(parts.some((part) => part.type === 'tool_call')),
      usage,
      extra: replyExtra,
    },
    { requiredKeys: ['content', 'finish', 'extra'] },
  ),
);

test('a reply comes out of its encoding as it was', () => {
  fc.assert(
    fc.property(reply, (original) => {
      fc.pre(distinctOpaque(original.content));
      const body: unknown = JSON.parse(JSON.stringify(wire.encodeReply(original)));
      assert.deepEqual(wire.decodeReply(body), plain(original));
    }),
  );
});

/** Events in the order the contract allows; calls are numbered and their arguments may mix with text. */
const events: fc.Arbitrary<StreamEvent[]> = fc
  .record({
    head: fc.record({ id: name, model: name }, { requiredKeys: [] }),
    blocks: fc.array(
      fc.oneof(
        fc.record({
          kind: fc.constant('text' as const),
          pieces: fc.array(someWords, { minLength: 1 }),
        }),
        fc.record({
          kind: fc.constant('reasoning' as const),
          pieces: fc.array(someWords),
          signature: someWords,
        }),
        fc.record({
          kind: fc.constant('call' as const),
          name,
          pieces: fc.array(someWords, { maxLength: 3 }),
          aside: fc.option(someWords),
        }),
        fc.record({ kind: fc.constant('opaque' as const), id }),
      ),
      { maxLength: 6 },
    ),
    finish: fc.constantFrom<FinishReason>('stop', 'length', 'content_filter', 'other'),
    usage,
    extra: replyExtra,
  })
  .map(({ head, blocks, finish, ...rest }) => {
    const list: StreamEvent[] = [{ type: 'start', ...head, extra: rest.extra }];
    let calls = 0;
    blocks.forEach((block, at) => {
      switch (block.kind) {
        case 'text':
          for (const piece of block.pieces) list.push({ type: 'text', text: piece });
          break;
        case 'reasoning':
          if (block.pieces.length === 0) list.push({ type: 'reasoning', text: '' });
          for (const piece of block.pieces) list.push({ type: 'reasoning', text: piece });
          list.push({ type: 'signature', signature: block.signature, provider: signed });
          break;
        case 'call':
          list.push({ type: 'call', index: calls, id: `call_${calls}`, name: block.name });
          for (const piece of block.pieces) {
            list.push({ type: 'args', index: calls, text: piece });
            if (block.aside !== null) list.push({ type: 'text', text: block.aside });
          }
          calls += 1;
          break;
        case 'opaque':
          list.push({
            type: 'opaque',
            wire: wire.name,
            value: { type: 'web_search_call', id: `ws_${at}` },
          });
          break;
        default:
          block satisfies never;
      }
    });
    const reason = finish === 'stop' && calls > 0 ? 'tool_calls' : finish;
    list.push({ type: 'finish', finish: reason, usage: rest.usage, extra: { completed_at: 2 } });
    return list;
  });

test('a stream comes out of its encoding as it was', () => {
  fc.assert(
    fc.property(events, (original) => {
      const encoder = wire.createStreamEncoder();
      const decoder = wire.createStreamDecoder();
      const frames = original.flatMap((event) => encoder.push(event));
      const decoded = frames.flatMap((frame) => decoder.push(frame));
      assert.deepEqual([...decoded, ...decoder.end()], plain(original));
      frames.forEach((frame, index) => {
        assert.equal(JSON.parse(frame.data).sequence_number, index);
        assert.equal(JSON.parse(frame.data).type, frame.event);
      });
    }),
  );
});

test('the last event of a stream holds what a reply of the same parts would', () => {
  fc.assert(
    fc.property(events, (original) => {
      const encoder = wire.createStreamEncoder();
      const last = original.flatMap((event) => encoder.push(event)).at(-1);
      const response: unknown = JSON.parse(last?.data ?? '{}').response;
      const decoded = wire.decodeReply(response);
      const said = original
        .flatMap((event) => (event.type === 'text' ? [event.text] : []))
        .join('');
      const written = decoded.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      assert.equal(written.join(''), said);
      const calls = original.filter((event) => event.type === 'call').map((event) => event.id);
      const made = decoded.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
      assert.deepEqual(made, calls);
    }),
  );
});

/** Bodies that look right at first sight. */
const known = [
  'model input instructions tools tool_choice text reasoning stream output usage status error id',
  'incomplete_details type role content call_id arguments name summary item response delta',
].flatMap((line) => line.split(' '));
const types = [
  'message function_call function_call_output reasoning output_text input_text input_image',
  'refusal function allowed_tools json_schema response.created response.completed error',
  'response.output_item.added response.output_item.done response.output_text.delta',
  'response.function_call_arguments.delta response.reasoning_summary_text.delta user assistant',
].flatMap((line) => line.split(' '));
const leaf = fc.oneof(
  fc.constantFrom(...types),
  fc.constantFrom<JsonValue>(null, 0, '', true, [], {}),
  fc.string({ maxLength: 3 }),
);
const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'large' },
    leaf,
    fc.dictionary(fc.constantFrom(...known), tie('node'), { minKeys: 1, maxKeys: 5 }),
    fc.array(tie('node'), { maxLength: 3 }),
  ),
}));
const anyBody: fc.Arbitrary<JsonValue> = parsed(
  fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...known), node, { minKeys: 2 }) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...known), node))
        .map(([type, fields]) => ({ ...fields, type })),
    },
    { weight: 1, arbitrary: json },
  ),
);

test('any JSON decodes or is refused with a ModelError', () => {
  fc.assert(
    fc.property(anyBody, (body) => {
      orModelError(() => wire.encodeRequest(wire.decodeRequest(body)));
      orModelError(() => wire.encodeReply(wire.decodeReply(body)));
      orModelError(() => wire.decodeRequest({ input: [body], tools: [body] }));
      orModelError(() => wire.decodeReply({ output: [body] }));
    }),
    { numRuns: 500 },
  );
});

test('any frames decode to events, the last of which ends them', () => {
  fc.assert(
    fc.property(fc.array(anyBody, { maxLength: 6 }), (bodies) => {
      const decoder = wire.createStreamDecoder();
      const frames = bodies.map((body) => ({ data: JSON.stringify(body) }));
      const all = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
      const ends = all.filter((event) => event.type === 'finish' || event.type === 'error');
      assert.equal(ends.length, 1);
      assert.equal(all.at(-1), ends[0]);
    }),
    { numRuns: 500 },
  );
});

test('any body of an error is an error of some kind, and comes back as that kind', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 400, max: 599 }),
      fc.oneof(anyBody, fc.string()),
      (status, body) => {
        const error = wire.decodeError({ status, headers: {}, body: JSON.stringify(body) });
        const sent = wire.encodeError(error);
        const again = wire.decodeError({ ...sent, headers: {}, body: JSON.stringify(sent.body) });
        assert.equal(again.kind, error.kind);
      },
    ),
  );
});

/** As it would come out of a body: fast-check makes objects without a prototype. */
function parsed(values: fc.Arbitrary<unknown>): fc.Arbitrary<JsonValue> {
  return values.map((value): JsonValue => JSON.parse(JSON.stringify(value)));
}

function distinctOpaque(parts: readonly AssistantPart[]): boolean {
  const all = parts
    .filter((part) => part.type === 'opaque')
    .map((part) => JSON.stringify(part.value));
  return new Set(all).size === all.length;
}

/** With ordinary prototypes: fast-check makes objects without one. */
function plain<T>(value: T): T {
  return structuredClone(value);
}
