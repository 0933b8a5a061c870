import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wrapText } from './wrap-text.ts';

test('breaks at spaces, keeps line breaks, cuts words that are too long', () => {
  assert.deepEqual(wrapText('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapText('one\n\ntwo', 7), ['one', '', 'two']);
  assert.deepEqual(wrapText('a abcdefghij b', 4), ['a', 'abcd', 'efgh', 'ij b']);
  assert.deepEqual(wrapText('', 10), ['']);
});

test('loses nothing but spaces, and no line is too long', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), (text, width) => {
      const lines = wrapText(text, width);
      for (const line of lines) assert.ok(line.length <= width, JSON.stringify(line));
      assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(/[ \n]/g, ''));
    }),
  );
});
