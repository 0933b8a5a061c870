import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { oldestOf } from './oldest-writer.ts';

const low = (number: bigint) => number % (1n << 32n);

test('is the next to come where nobody writes, or only those that began since', () => {
  assert.equal(oldestOf(729n, []), 729n);
  assert.equal(oldestOf(729n, [729n, 731n]), 729n);
});

test('finds the oldest from the lower halves of numbers, also over the turn of a round', () => {
  const number = fc.bigInt({ min: 1n << 31n, max: 1n << 62n });
  const distance = fc.bigInt({ min: -1000n, max: (1n << 31n) - 1n });
  fc.assert(
    fc.property(number, fc.array(distance, { maxLength: 5 }), (next, distances) => {
      const running = distances.map((each) => next - each);
      const wanted = running.reduce((least, each) => (each < least ? each : least), next);
      assert.equal(oldestOf(next, running.map(low)), wanted);
    }),
  );
});
