import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readSpan } from './read-span.ts';

it('reads spans of seconds, minutes, hours and days', () => {
  assert.deepEqual(
    ['90s', '30m', '2 h', '30d', '0d'].map(readSpan),
    [90_000, 1_800_000, 7_200_000, 2_592_000_000, 0],
  );
});

it('takes nothing else for one', () => {
  for (const text of ['', '30', 'd', '-1d', '1.5h', '1w', '1d2h', '1234567s', '٣d']) {
    assert.equal(readSpan(text), undefined, text);
  }
});
