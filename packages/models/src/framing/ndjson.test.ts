import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ModelError } from '../wire/model-error.ts';
import type { Frame } from '../wire/wire.ts';
import { encodeNdjson } from './encode-ndjson.ts';
import { createNdjsonDecoder } from './ndjson-decoder.ts';

const utf8 = new TextEncoder();

function decodeCutAt(bytes: Uint8Array, cut: number): Frame[] {
  const decoder = createNdjsonDecoder();
  return [
    ...decoder.push(bytes.subarray(0, cut)),
    ...decoder.push(bytes.subarray(cut)),
    ...decoder.end(),
  ];
}

function valuesOf(frames: readonly Frame[]): unknown[] {
  return frames.map(({ data }) => JSON.parse(data));
}

test('reads lines cut anywhere, with LF or CRLF, blank ones skipped, the last one open', () => {
  const bytes = utf8.encode('\ufeff{"a":"é😀"}\r\n\r\n \n{"b":\r1}\n{"c":2}');
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(valuesOf(decodeCutAt(bytes, cut)), [{ a: 'é😀' }, { b: 1 }, { c: 2 }]);
  }
});

test('gives a line with the bytes that complete it', () => {
  const decoder = createNdjsonDecoder();
  assert.deepEqual(decoder.push(utf8.encode('{}')), []);
  assert.equal(decoder.held, 2);
  assert.deepEqual(decoder.push(utf8.encode('\n')), [{ data: '{}' }]);
  assert.equal(decoder.held, 0);
});

test('refuses a line that outgrows the limit', () => {
  const decoder = createNdjsonDecoder({ limit: 10 });
  assert.throws(() => decoder.push(utf8.encode('{"a": "0123456789')), ModelError);
});

test('reads back what the encoder wrote, also from pretty-printed JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.nat(300), (values, cut) => {
      const lines = values.map((value) => encodeNdjson({ data: JSON.stringify(value, null, 2) }));
      const bytes = utf8.encode(lines.join(''));
      const decoded = valuesOf(decodeCutAt(bytes, Math.min(cut, bytes.length)));
      assert.deepEqual(decoded, JSON.parse(JSON.stringify(values)));
    }),
  );
});
