import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../errors.ts';
import { applyCompaction } from './apply-compaction.ts';
import { input, step, windowOf } from './build-window.test.ts';
import { noCompaction } from './no-compaction.ts';
import { planCompaction } from './plan-compaction.ts';
import { slidingWindow } from './sliding-window.ts';

const long = 'word '.repeat(100);
const window = windowOf(
  input('go'),
  step({ slow: undefined }),
  step({ a: long }),
  input('on'),
  step({ b: long }),
  step({ c: long }),
);

test('keeps the last turns, all inputs, and calls that wait', () => {
  const decision = planCompaction({
    system: '',
    tools: [],
    window,
    budget: 450,
    strategy: slidingWindow({ keepTurns: 1 }),
  });
  assert.ok(decision.type === 'compact');
  assert.equal(decision.plan.tier, 'window');
  const left = applyCompaction(window, decision.plan);
  assert.deepEqual(
    left.map(({ id }) => id),
    [1, 2, 5, 8, 9],
  );
});

test('does nothing below its trigger', () => {
  const decision = planCompaction({
    system: '',
    tools: [],
    window,
    budget: 2_000,
    strategy: slidingWindow({ keepTurns: 1 }),
  });
  assert.equal(decision.type, 'fits');
});

test('refuses a number of turns that is none', () => {
  assert.throws(
    () => slidingWindow({ keepTurns: 1.5 }),
    (error) => ForgeError.is(error, 'invalid_options'),
  );
});

test('without compaction a window over budget is too large', () => {
  const decision = planCompaction({
    system: '',
    tools: [],
    window,
    budget: 100,
    strategy: noCompaction(),
  });
  assert.equal(decision.type, 'too_large');
});
