import assert from 'node:assert/strict';
import { StringDecoder } from 'node:string_decoder';
import { encodeNdjson } from '../packages/models/src/framing/encode-ndjson.ts';
import { encodeSse } from '../packages/models/src/framing/encode-sse.ts';
import { createNdjsonDecoder } from '../packages/models/src/framing/ndjson-decoder.ts';
import { createSseDecoder } from '../packages/models/src/framing/sse-decoder.ts';
import { wires } from '../packages/models/src/wire/index.ts';
import type { StreamEvent, Wire } from '../packages/models/src/wire/wire.ts';
import type { Bench, Comparison } from './harness/bench.ts';

const pieces = 200;
const baseline = 'split the lines, JSON.parse each';
const usage = { inputTokens: 1200, outputTokens: pieces };
const start: StreamEvent = { type: 'start', id: 'reply-1', model: 'tiny', extra: {} };

function textEvents(): StreamEvent[] {
  const texts = Array.from({ length: pieces }, (_, at): StreamEvent => {
    return { type: 'text', text: at % 9 === 0 ? `point ${at},\n` : ' word' };
  });
  return [start, ...texts, { type: 'finish', finish: 'stop', usage, extra: {} }];
}

function callEvents(): StreamEvent[] {
  const args = Array.from({ length: pieces }, (_, at): StreamEvent => {
    const text = at === 0 ? '{"text": "' : at === pieces - 1 ? '"}' : ' word';
    return { type: 'args', index: 0, text };
  });
  const call: StreamEvent = { type: 'call', index: 0, id: 'call_1', name: 'write_file' };
  return [start, call, ...args, { type: 'finish', finish: 'tool_calls', usage, extra: {} }];
}

/** The stream as the network brings it: one chunk of bytes for each frame. */
function encode(wire: Wire, events: readonly StreamEvent[]): Uint8Array[] {
  const encoder = wire.createStreamEncoder();
  const write = wire.framing === 'sse' ? encodeSse : encodeNdjson;
  return events.flatMap((event) => encoder.push(event).map((frame) => Buffer.from(write(frame))));
}

function decode(wire: Wire, chunks: readonly Uint8Array[]): StreamEvent[] {
  const framing = wire.framing === 'sse' ? createSseDecoder() : createNdjsonDecoder();
  const decoder = wire.createStreamDecoder();
  const events: StreamEvent[] = [];
  for (const chunk of chunks) {
    for (const frame of framing.push(chunk)) events.push(...decoder.push(frame));
  }
  for (const frame of framing.end()) events.push(...decoder.push(frame));
  events.push(...decoder.end());
  return events;
}

/** The least anyone can do with such a stream. */
function splitAndParse(chunks: readonly Uint8Array[]): unknown[] {
  const utf8 = new StringDecoder('utf8');
  const values: unknown[] = [];
  let held = '';
  for (const chunk of chunks) {
    const lines = (held + utf8.write(chunk)).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) {
      const text = line.startsWith('data:') ? line.slice(5) : line;
      if (text === '' || text.startsWith('event:') || text === ' [DONE]') continue;
      values.push(JSON.parse(text));
    }
  }
  return values;
}

function compareWire(wire: Wire, what: string, events: readonly StreamEvent[]): Comparison {
  const chunks = encode(wire, events);
  const said = decode(wire, chunks);
  const spoken = (list: readonly StreamEvent[]) =>
    list.map((event) => ('text' in event ? event.text : '')).join('');
  assert.equal(spoken(said), spoken(events), wire.name);
  assert.equal(said.at(-1)?.type, 'finish', wire.name);
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return {
    kind: 'comparison',
    title: `${wire.name}: ${what} in ${chunks.length} chunks, ${bytes.toLocaleString('en')} bytes`,
    baseline,
    contenders: [
      { name: baseline, run: () => splitAndParse(chunks) },
      { name: 'Forge: bytes to events', run: () => decode(wire, chunks) },
    ],
    targets: [{ contender: 'Forge: bytes to events', atMost: 1.5 }],
  };
}

const streamsArguments = (wire: Wire) => wire.name !== 'gemini' && wire.name !== 'ollama';

export const bench: Bench = {
  name: 'stream-decode',
  sections: Object.values(wires).flatMap((wire) => [
    compareWire(wire, 'text', textEvents()),
    ...(streamsArguments(wire) ? [compareWire(wire, 'arguments', callEvents())] : []),
  ]),
};
