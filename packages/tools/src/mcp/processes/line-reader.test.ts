import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLineReader } from './line-reader.ts';
import { createTail } from './tail.ts';

describe('createLineReader', () => {
  it('finds the same lines however the bytes are cut up', () => {
    const text = fc.array(
      fc.string({ unit: 'grapheme' }).map((line) => line.replace(/[\r\n]/g, '')),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (lines, size) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const found: string[] = [];
        const read = createLineReader((line) => found.push(line), 1_000_000);
        for (let from = 0; from < bytes.length; from += size)
          read(bytes.subarray(from, from + size));
        assert.deepEqual(
          found,
          lines.map((line) => line.toWellFormed()),
        );
      }),
    );
  });

  it('refuses a line that does not end', () => {
    const read = createLineReader(() => {}, 100);
    read(Buffer.alloc(80, 'x'));
    assert.throws(() => read(Buffer.alloc(80, 'x')), /more than 100 bytes/);
  });
});

describe('createTail', () => {
  it('keeps the last lines and stays small', () => {
    const tail = createTail(1_000);
    for (let line = 0; line < 10_000; line++) tail.write(`line ${line}\n`);
    tail.write('open end');
    const lines = tail.lines();
    assert.equal(lines.at(-1), 'open end');
    assert.equal(lines.at(-2), 'line 9999');
    assert.ok(lines.join('\n').length <= 2_100);
  });

  it('cuts a line that does not end', () => {
    const tail = createTail();
    for (let part = 0; part < 100; part++) tail.write('x'.repeat(10_000));
    assert.ok(tail.lines().join('').length <= 2_000);
  });
});
