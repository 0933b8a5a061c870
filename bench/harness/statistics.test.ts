import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantile, spreadOf } from './statistics.ts';

test('interpolates between neighbours', () => {
  assert.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
  assert.equal(quantile([10], 0.9), 10);
  assert.equal(quantile([0, 10], 0.1), 1);
});

test('the spread of a sample does not depend on its order, and leaves it alone', () => {
  const sample = [11, 1, 9, 3, 7, 5, 6, 4, 8, 2, 10];
  assert.deepEqual(spreadOf(sample), { median: 6, p10: 2, p90: 10 });
  assert.equal(sample[0], 11);
});
