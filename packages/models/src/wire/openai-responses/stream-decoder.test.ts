import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type AssistantPart, isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { createSseDecoder } from '../../framing/index.ts';
import { assembleReply } from '../assemble-reply.ts';
import { twoTowns } from '../shared/two-towns.test.ts';
import type { Frame, StreamEvent } from '../wire.ts';
import { createOpenaiResponses } from './index.ts';
import { openSeal } from './sealed-reasoning.ts';

const wire = createOpenaiResponses({ newId: () => 'x', now: () => 0 });
const folder = new URL('./__fixtures__/', import.meta.url);
const fixtures = readdirSync(folder).filter((name) => name.endsWith('.sse'));
/** Servers that tell less than our encoder does. */
const terse = /^(local-server|llamacpp-)/;

function bytesOf(name: string): Uint8Array {
  return readFileSync(new URL(name, folder));
}

function framesOf(chunks: Iterable<Uint8Array>): Frame[] {
  const framing = createSseDecoder();
  const frames = [...chunks].flatMap((chunk) => framing.push(chunk));
  return [...frames, ...framing.end()];
}

function decode(chunks: Iterable<Uint8Array>): StreamEvent[] {
  const decoder = wire.createStreamDecoder();
  return [...framesOf(chunks).flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

function whole(name: string): StreamEvent[] {
  return decode([bytesOf(name)]);
}

/** Neighbouring pieces of a kind as one, and without what is told at the start and end. */
function told(events: readonly StreamEvent[]): JsonValue[][] {
  const lines: [string, ...JsonValue[]][] = [];
  for (const event of events) {
    const last = lines.at(-1);
    switch (event.type) {
      case 'text':
      case 'reasoning': {
        const begins = event.type === 'text' && event.provider !== undefined && event.text !== '';
        if (last?.[0] === event.type && !begins) last[1] = `${last[1]}${event.text}`;
        else lines.push([event.type, event.text]);
        break;
      }
      case 'args':
        if (last?.[0] === 'args') last[1] = `${last[1]}${event.text}`;
        else lines.push(['args', event.text]);
        break;
      case 'call':
        lines.push(['call', event.index, event.id, event.name]);
        break;
      case 'signature':
        lines.push(['signature', openSeal(event.signature)?.signature ?? '']);
        break;
      case 'opaque':
        lines.push(['opaque', event.value.type ?? '']);
        break;
      case 'finish':
        lines.push(['finish', event.finish]);
        break;
      case 'error':
        lines.push(['error', event.error.kind]);
        break;
      case 'start':
        break;
      default:
        event satisfies never;
    }
  }
  return lines;
}

for (const name of fixtures) {
  test(`${name} gives the same events however its bytes are cut`, () => {
    const bytes = bytesOf(name);
    const frames = JSON.stringify(framesOf([bytes]));
    // The decoder sees frames only, so the same frames give the same events.
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const cutFrames = framesOf([bytes.subarray(0, cut), bytes.subarray(cut)]);
      assert.equal(JSON.stringify(cutFrames), frames);
    }
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    assert.deepEqual(decode(single), whole(name));
  });

  test(`${name} cut off before its last event is an error`, () => {
    const text = Buffer.from(bytesOf(name)).toString();
    const cut = text.search(
      /(event: [^\n]*\n)?data: [^\n]*"type":"(response\.(completed|incomplete|failed)|error)"/,
    );
    const last = decode([Buffer.from(text.slice(0, cut))]).at(-1);
    assert.ok(last?.type === 'error' && last.error.kind === 'bad_response');
  });

  test(`${name} means the same after our encoder and decoder`, () => {
    const events = whole(name);
    if (events.at(-1)?.type === 'error') return;
    const encoder = wire.createStreamEncoder();
    const decoder = wire.createStreamDecoder();
    const again = events
      .flatMap((event) => encoder.push(event))
      .flatMap((frame) => decoder.push(frame));
    assert.deepEqual(told([...again, ...decoder.end()]), told(events));
    // Where the server told all that our encoder tells, nothing is added either.
    if (!terse.test(name)) assert.deepEqual(again, events);
  });
}

test('items that are told apart by their ids alone stay apart', () => {
  const events = whole('llamacpp-b9844-parallel-calls.sse').map((event) => {
    if (!('provider' in event)) return event;
    const { provider: _, ...plain } = event;
    return plain;
  });
  const calls = [
    'call_hv4lq0UFWEHMmm7VbEELy5b5LGnPN5dM',
    'call_VwLQHBvG9X92uH6jOPD1oCVeKAWEVkOP',
  ] as const;
  assert.deepEqual(events.slice(1, -1), twoTowns(...calls));
  assert.deepEqual(events.at(-1)?.type === 'finish' && events.at(-1), {
    type: 'finish',
    finish: 'tool_calls',
    usage: { inputTokens: 450, outputTokens: 67, cachedInputTokens: 449 },
    extra: {
      created_at: 1794720068,
      usage: {
        input_tokens: 450,
        output_tokens: 67,
        total_tokens: 517,
        input_tokens_details: { cached_tokens: 449 },
      },
    },
  });
});

test('an item that nobody named is the one opened last', () => {
  const decoder = wire.createStreamDecoder();
  const item = { type: 'message', id: 'msg_a', role: 'assistant', content: [] };
  const text = { type: 'output_text', text: 'Hello', annotations: [] };
  const events = [
    { type: 'response.output_item.added', item },
    { type: 'response.output_text.delta', item_id: 'msg_slip', delta: 'Hel' },
    { type: 'response.output_text.delta', item_id: 'msg_slip', delta: 'lo' },
    { type: 'response.output_item.done', item: { ...item, content: [text] } },
    { type: 'response.completed', response: { status: 'completed', output: [] } },
  ].flatMap((event) => decoder.push({ data: JSON.stringify(event) }));
  assert.deepEqual(told(events), [
    ['text', 'Hello'],
    ['finish', 'stop'],
  ]);
});

test('text comes with its usage and the fields of the response', () => {
  const events = whole('text.sse');
  const [start] = events;
  assert.ok(start?.type === 'start');
  assert.equal(start.id, 'resp_68af');
  assert.equal(start.model, 'gpt-5.4-2026-03-05');
  assert.equal(start.extra.created_at, 1763474589);
  assert.equal(start.extra.status, undefined);
  assert.deepEqual(told(events), [
    ['text', 'Grüße, 世界 🚀!'],
    ['finish', 'stop'],
  ]);
  const finish = events.at(-1);
  assert.ok(finish?.type === 'finish');
  assert.deepEqual(finish.usage, {
    inputTokens: 20,
    outputTokens: 9,
    cachedInputTokens: 4,
    reasoningTokens: 0,
  });
  assert.deepEqual(finish.extra, {});
});

test('every delta is given on with the frame it came in', () => {
  const decoder = wire.createStreamDecoder();
  const given = createSseDecoder()
    .push(bytesOf('text.sse'))
    .map((frame) => decoder.push(frame).map((event) => event.type));
  const deltas = given.filter((types) => types.includes('text'));
  assert.deepEqual(deltas, [['text'], ['text'], ['text'], ['text'], ['text']]);
});

test('reasoning, text and parallel calls come in order', () => {
  const events = whole('reasoning-and-calls.sse');
  assert.deepEqual(told(events), [
    ['reasoning', '**Two towns**\n\nAsk for both.'],
    ['signature', 'gAAAAB-final'],
    ['text', 'Let me look.'],
    ['call', 0, 'call_1', 'get_weather'],
    ['args', '{"town":"Bern"}'],
    ['call', 1, 'call_2', 'get_weather'],
    ['args', '{"town":"Uri"}'],
    ['finish', 'tool_calls'],
  ]);
});

test('built-in tools are opaque, refusals are text, messages do not run together', () => {
  assert.deepEqual(told(whole('built-in-tools.sse')), [
    ['opaque', 'web_search_call'],
    ['text', 'See [1].'],
    ['text', "I can't."],
    ['opaque', 'custom_tool_call'],
    ['finish', 'stop'],
  ]);
});

test('what a server leaves out of its deltas is made up for', () => {
  const events = whole('local-server.sse');
  assert.deepEqual(told(events), [
    ['reasoning', 'Short thought.'],
    ['signature', ''],
    ['text', 'Hi there.'],
    ['call', 0, 'fc_l', 'f'],
    ['args', '{"a":1}'],
    ['finish', 'tool_calls'],
  ]);
  const finish = events.at(-1);
  assert.ok(finish?.type === 'finish');
  assert.deepEqual(finish.usage, { inputTokens: 3, outputTokens: 4 });
});

test('a stream of nothing but its last event still gives the reply', () => {
  const text = Buffer.from(bytesOf('reasoning-and-calls.sse')).toString();
  const last = text.trimEnd().split('\n\n').at(-1) ?? '';
  assert.deepEqual(
    told(decode([Buffer.from(`${last}\n\n`)])),
    told(whole('reasoning-and-calls.sse')),
  );
});

test('a reply cut by its limit says so', () => {
  assert.deepEqual(told(whole('incomplete.sse')), [
    ['text', 'Once upon'],
    ['finish', 'length'],
  ]);
});

test('failures are one error event each, of the right kind', () => {
  assert.deepEqual(told(whole('error.sse')), [['error', 'auth']]);
  assert.deepEqual(told(whole('failed.sse')), [['error', 'overloaded']]);
});

const oddFrames: readonly [string, string][] = [
  ['not JSON', '{"type":'],
  ['a list', '[]'],
  ['a completed response without one', '{"type":"response.completed"}'],
  ['an output that is no list', '{"type":"response.completed","response":{"output":{}}}'],
];
for (const [what, data] of oddFrames) {
  test(`${what} is a bad response, and the end`, () => {
    const decoder = wire.createStreamDecoder();
    const [event] = decoder.push({ data });
    assert.ok(event?.type === 'error' && event.error.kind === 'bad_response');
    assert.deepEqual(decoder.push({ data }), []);
    assert.deepEqual(decoder.end(), []);
  });
}

test('an error without a type is an error', () => {
  const decoder = wire.createStreamDecoder();
  const [event] = decoder.push({ data: '{"error":{"message":"prompt is too long"}}' });
  assert.ok(event?.type === 'error' && event.error.kind === 'context_overflow');
});

test('fields that cannot be turned into text do no harm', () => {
  const odd = { toString: 1, valueOf: 2 };
  const decoder = wire.createStreamDecoder();
  const frames = [
    { type: 'response.output_text.delta', output_index: odd, content_index: odd, delta: 'a' },
    { type: 'response.reasoning_text.delta', output_index: odd, content_index: odd, delta: 'b' },
    { type: 'error', error: { code: odd, message: odd, status: odd } },
  ];
  const events = frames.flatMap((frame) => decoder.push({ data: JSON.stringify(frame) }));
  assert.deepEqual(told(events), [
    ['text', 'a'],
    ['reasoning', 'b'],
    ['error', 'unavailable'],
  ]);
});

function partsOf(name: string): readonly AssistantPart[] {
  return assembleReply(whole(name), wire.name).content;
}

/** What a client would send in the next turn. */
function replayed(name: string): readonly JsonObject[] {
  return replay(partsOf(name));
}

function replay(content: readonly AssistantPart[]): readonly JsonObject[] {
  const body = wire.encodeRequest({
    model: 'm',
    messages: [{ role: 'assistant', content: [...content] }],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    stream: false,
    extra: {},
  });
  return Array.isArray(body.input) ? body.input.filter(isJsonObject) : [];
}

/** What the last event of the fixture holds, which is all of the reply. */
function finalOutput(name: string): JsonObject[] {
  const last = framesOf([bytesOf(name)]).at(-1);
  return JSON.parse(last?.data ?? '').response.output;
}

test('what was streamed is what would have come whole: ids, annotations, refusals and all', () => {
  for (const name of ['text.sse', 'reasoning-and-calls.sse', 'built-in-tools.sse']) {
    const streamed = partsOf(name).filter((part) => part.type !== 'reasoning');
    const { content } = wire.decodeReply({ output: finalOutput(name) });
    assert.deepEqual(
      streamed,
      content.filter((part) => part.type !== 'reasoning'),
    );
  }
});

test('a streamed turn goes back under its ids', () => {
  const sent = replayed('reasoning-and-calls.sse');
  assert.deepEqual(
    sent.map(({ id }) => id),
    finalOutput('reasoning-and-calls.sse').map(({ id }) => id),
  );
});

test('streamed reasoning goes back without its id once a text after it has lost its own', () => {
  const content = partsOf('reasoning-and-calls.sse').map((part) =>
    part.type === 'text' ? { type: part.type, text: part.text } : part,
  );
  const [reasoning, message, first] = replay(content);
  assert.deepEqual(reasoning, {
    type: 'reasoning',
    summary: [
      { type: 'summary_text', text: '**Two towns**' },
      { type: 'summary_text', text: 'Ask for both.' },
    ],
    encrypted_content: 'gAAAAB-final',
  });
  assert.equal(message?.id, undefined);
  assert.deepEqual(first, {
    type: 'function_call',
    call_id: 'call_1',
    name: 'get_weather',
    arguments: '{"town":"Bern"}',
  });
});

test('streamed reasoning before calls only goes back under its id', () => {
  assert.deepEqual(replayed('silent-reasoning.sse'), [
    { type: 'reasoning', id: 'rs_9', summary: [] },
    {
      type: 'function_call',
      id: 'fc_9',
      status: 'completed',
      call_id: 'call_9',
      name: 'get_time',
      arguments: '{}',
    },
  ]);
});
