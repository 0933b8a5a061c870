import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toWakeUp } from './wake-up.ts';

test('keeps a wake-up for now apart from one for later, and one time from another', () => {
  const keys = [
    toWakeUp('run', {}, 1_000),
    toWakeUp('run', { delay: 50 }, 1_000),
    toWakeUp('run', { delay: 90 }, 1_000),
    toWakeUp('run', { delay: 250 }, 1_000),
  ].map(({ key }) => key);
  assert.deepEqual(keys, ['@run', '1100@run', '1100@run', '1300@run']);
});

test('stays within what every make can carry, is never early, and never one with another run', () => {
  const options = fc.record({ priority: fc.double(), delay: fc.double() }, { requiredKeys: [] });
  const now = fc.integer({ min: 0, max: 4e12 });
  fc.assert(
    fc.property(fc.string(), fc.string(), options, options, now, (a, b, forA, forB, at) => {
      const [one, other] = [toWakeUp(a, forA, at), toWakeUp(b, forB, at)];
      assert.ok(Number.isInteger(one.priority) && Math.abs(one.priority) <= 1_000_000);
      assert.ok(Number.isInteger(one.delay) && one.delay >= 0 && one.delay <= 2 ** 31 - 1);
      const asked = Math.min(Math.round(forA.delay ?? 0), 2 ** 31 - 1);
      assert.ok(Number.isNaN(asked) || one.delay >= asked);
      if (a !== b) assert.notEqual(one.key, other.key);
    }),
  );
});
