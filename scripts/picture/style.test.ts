import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyCodes, palette, plain } from './style.ts';

test('reads named, indexed and true colours', () => {
  assert.deepEqual(applyCodes(plain, [31]), { color: palette[1] });
  assert.deepEqual(applyCodes(plain, [92]), { color: palette[10] });
  assert.deepEqual(applyCodes(plain, [44]), { background: palette[4] });
  assert.deepEqual(applyCodes(plain, [107]), { background: palette[15] });
  assert.deepEqual(applyCodes(plain, [38, 5, 196]), { color: '#ff0000' });
  assert.deepEqual(applyCodes(plain, [38, 5, 3]), { color: palette[3] });
  assert.deepEqual(applyCodes(plain, [48, 5, 232]), { background: '#080808' });
  assert.deepEqual(applyCodes(plain, [38, 2, 1, 128, 255, 1]), { color: '#0180ff', bold: true });
});

test('switches on, off and back to nothing', () => {
  const loud = applyCodes(plain, [1, 4, 31]);
  assert.deepEqual(loud, { bold: true, underline: true, color: palette[1] });
  const calmer = applyCodes(loud, [22, 24, 39]);
  assert.ok(Object.values(calmer).every((value) => value === undefined));
  assert.deepEqual(applyCodes(loud, [0]), plain);
  assert.deepEqual(applyCodes(loud, [73]), loud);
});
