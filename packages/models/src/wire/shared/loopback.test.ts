import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  createNdjsonDecoder,
  createSseDecoder,
  encodeNdjson,
  encodeSse,
} from '../../framing/index.ts';
import { ModelError } from '../model-error.ts';
import type { StreamEvent, Wire } from '../wire.ts';

type Hearing = Pick<Wire, 'framing' | 'createStreamDecoder'>;

/** A stream as the bytes a server of this wire sends. */
export function bytesOf(wire: Wire, events: readonly StreamEvent[]): Uint8Array {
  const encoder = wire.createStreamEncoder();
  const write = wire.framing === 'sse' ? encodeSse : encodeNdjson;
  const frames = events.flatMap((event) => encoder.push(event));
  return Buffer.from(frames.map(write).join(''));
}

/** Bytes as the events a client of this wire hears. */
export function hear(wire: Hearing, chunks: Iterable<Uint8Array>): StreamEvent[] {
  const framing = wire.framing === 'sse' ? createSseDecoder() : createNdjsonDecoder();
  const decoder = wire.createStreamDecoder();
  const events: StreamEvent[] = [];
  for (const chunk of chunks) {
    for (const frame of framing.push(chunk)) events.push(...decoder.push(frame));
  }
  for (const frame of framing.end()) events.push(...decoder.push(frame));
  return [...events, ...decoder.end()];
}

/** The same events whole, cut in two at any byte, and byte by byte. */
export function assertSameHoweverCut(
  wire: Hearing,
  bytes: Uint8Array,
  events: readonly StreamEvent[],
): void {
  assert.deepEqual(hear(wire, [bytes]), events);
  for (let at = 1; at < bytes.length; at += 1) {
    assert.deepEqual(hear(wire, [bytes.subarray(0, at), bytes.subarray(at)]), events);
  }
  assert.deepEqual(
    hear(
      wire,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    ),
    events,
  );
}

/** Whatever the body: it is read, or refused with a `ModelError`, and what was read can be written. */
export function assertReadsAnything(
  wire: Wire,
  bodies: fc.Arbitrary<unknown>,
  { numRuns, seed }: { readonly numRuns: number; readonly seed: number },
): void {
  fc.assert(
    fc.property(bodies, (value) => {
      const body = sent(value);
      orModelError(() => wire.encodeRequest(wire.decodeRequest(body, { model: 'm' })));
      orModelError(() => wire.encodeReply(wire.decodeReply(body)));
      const decoder = wire.createStreamDecoder();
      const encoder = wire.createStreamEncoder();
      const frame = { data: JSON.stringify(body) };
      const events = [...decoder.push(frame), ...decoder.push(frame), ...decoder.end()];
      assert.ok(['finish', 'error'].includes(events.at(-1)?.type ?? ''));
      for (const event of events) encoder.push(event);
      wire.decodeError({ status: 400, headers: {}, body: JSON.stringify(body) });
    }),
    { numRuns, seed },
  );
}

export function orModelError(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
  }
}

/** A body after a trip over the line. */
export function sent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body));
}
