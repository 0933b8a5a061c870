import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MarkReader } from './mark-reader.ts';

interface Read {
  readonly data: string;
  readonly marks: string[];
}

function read(nonce: string, chunks: readonly Buffer[]): Read {
  const data: Buffer[] = [];
  const marks: string[] = [];
  const reader = new MarkReader(nonce, {
    data: (bytes) => data.push(Buffer.from(bytes)),
    mark: (words) => marks.push(words.join(' ')),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { data: Buffer.concat(data).toString('latin1'), marks };
}

const nonce = 'abab';
const mark = (words: string) => `\x1e${nonce} ${words}\n`;

/** Text that is full of what could be taken for a mark, and marks. */
const piece = fc.oneof(
  fc.constantFrom('\x1e', '\x1e\x1e', nonce, `\x1e${nonce}`, `\x1e${nonce}x `, '\n', ' ', 'ab'),
  fc.string({ unit: 'binary-ascii', maxLength: 6 }),
  fc.constantFrom('S 12 3', 'E 0 0 /proc/1').map((words) => ({ words })),
);

test('tells marks from data wherever the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(200)), (pieces, cuts) => {
      let text = '';
      let data = '';
      const marks: string[] = [];
      for (const each of pieces) {
        if (typeof each === 'string') {
          // What was printed right before may turn a mark's beginning into one of its own.
          text += `${each}\0`;
          data += `${each}\0`;
        } else {
          text += mark(each.words);
          marks.push(each.words);
        }
      }
      if (data.includes(`\x1e${nonce} `)) return; // Somebody guessed the nonce.
      const bytes = Buffer.from(text, 'latin1');
      const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
        (a, b) => a - b,
      );
      const chunks = [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
      assert.deepEqual(read(nonce, chunks), { data, marks });
      const single = [...bytes].map((byte) => Buffer.from([byte]));
      assert.deepEqual(read(nonce, single), { data, marks });
    }),
  );
});

test('takes the next nonce from the mark on, in the same bytes', () => {
  const seen: string[] = [];
  const reader = new MarkReader('one', {
    data: (bytes) => seen.push(`data ${bytes}`),
    mark: (words) => {
      seen.push(`mark ${words.join(' ')}`);
      reader.expect('two');
    },
  });
  reader.push(Buffer.from('a\x1eone E\nb\x1eone E\nc\x1etwo E\nd'));
  assert.deepEqual(seen, ['data a', 'mark E', 'data b\x1eone E\nc', 'mark E', 'data d']);
});

test('holds back no more than could still be a mark', () => {
  const data: string[] = [];
  const reader = new MarkReader(nonce, { data: (bytes) => data.push(`${bytes}`), mark: () => {} });
  reader.push(Buffer.from('plain'));
  assert.deepEqual(data, ['plain']);
  reader.push(Buffer.from(`x\x1e${nonce} `));
  assert.deepEqual(data, ['plain', 'x']);
  for (let sent = 0; sent < 10_000; sent += 100) reader.push(Buffer.alloc(100, 'y'));
  const held = 10_000 + nonce.length + 2 - (data.join('').length - 'plainx'.length);
  assert.ok(held < 200, `${held} bytes are held back`);
});
