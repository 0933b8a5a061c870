import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readScreen } from './screen.ts';
import { palette } from './style.ts';

const esc = '\u001b';
const lines = (output: string, columns = 20) =>
  readScreen(output, columns).map((row) => row.map(({ text }) => text).join(''));

test('shows lines, and wraps long ones', () => {
  assert.deepEqual(lines('one\ntwo'), ['one', 'two']);
  assert.deepEqual(lines('abcdef', 4), ['abcd', 'ef']);
});

test('keeps the colour of each cell', () => {
  const [row] = readScreen(`a${esc}[32mb${esc}[39mc`, 20);
  assert.deepEqual(
    row?.map(({ text, style }) => [text, style.color]),
    [
      ['a', undefined],
      ['b', palette[2]],
      ['c', undefined],
    ],
  );
});

test('a progress line that is written over leaves only its end', () => {
  assert.deepEqual(lines('10 %\r20 %\rdone'), ['done']);
  assert.deepEqual(lines(`a long one${esc}[2K\rshort`), ['short']);
  assert.deepEqual(lines(`one\ntwo\n${esc}[1A${esc}[Kthree`), ['one', 'three']);
  assert.deepEqual(lines(`one\ntwo${esc}[1A\r${esc}[Jx`), ['x']);
  assert.deepEqual(lines('ab\bc'), ['ac']);
  assert.deepEqual(lines(`a${esc}[3Cb`), ['a   b']);
});

test('titles, links and other escapes leave no trace', () => {
  assert.deepEqual(lines(`${esc}]0;title\u0007x`), ['x']);
  assert.deepEqual(lines(`${esc}]8;;https://a.b${esc}\\link${esc}]8;;${esc}\\`), ['link']);
  assert.deepEqual(lines(`${esc}[?25lx${esc}[?25h${esc}(B`), ['x']);
});

test('a wide character takes two cells, a mark on a letter none', () => {
  assert.equal(readScreen('日x', 20)[0]?.length, 3);
  assert.equal(readScreen('✅x', 20)[0]?.length, 3);
  assert.equal(readScreen('→x', 20)[0]?.length, 2);
  assert.deepEqual(lines('e\u0301x'), ['e\u0301x']);
  assert.equal(readScreen('e\u0301x', 20)[0]?.length, 2);
});

test('reads anything, within the columns', () => {
  const unit = fc.constantFrom(
    'a',
    '日',
    '\n',
    '\r',
    '\t',
    '\b',
    esc,
    '[',
    '1',
    ';',
    'A',
    'K',
    'm',
  );
  fc.assert(
    fc.property(fc.string({ unit }), (output) => {
      for (const row of readScreen(output, 10)) assert.ok(row.length <= 10);
    }),
  );
});
