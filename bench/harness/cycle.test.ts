import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycle } from './cycle.ts';

test('takes the inputs in turn, round and round', () => {
  const run = cycle(['a', 'b', 'c'], (input) => input.toUpperCase());
  assert.equal(Array.from({ length: 7 }, run).join(''), 'ABCABCA');
});

test('needs something to work on', () => {
  assert.throws(() => cycle([], () => 1), /at least one input/);
});
