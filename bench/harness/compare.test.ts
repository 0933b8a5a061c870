import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare } from './compare.ts';
import { fakeTime } from './fake-clock.ts';

test('a ratio is taken within its round, so a busy spell does not bend it', () => {
  const { clock, work, log } = fakeTime();
  // The machine slows down tenfold in the middle; every contender feels it.
  const busy = () => (log.length > 20 && log.length < 40 ? 10 : 1);
  const result = compare(
    {
      kind: 'comparison',
      title: 'spells',
      baseline: 'base',
      contenders: [work('base', () => 2 * busy()), work('triple', () => 6 * busy())],
      targets: [{ contender: 'triple', atMost: 3 }],
    },
    { clock, rounds: 30, sampleTime: 2, warmUpTime: 0 },
  );
  const triple = result.contenders[1];
  assert.deepEqual(triple?.ratio, { median: 3, p10: 3, p90: 3 });
  assert.deepEqual(triple?.target, { atMost: 3, met: true });
});

test('says when a target is missed', () => {
  const { clock, work } = fakeTime();
  const result = compare(
    {
      kind: 'comparison',
      title: 'late',
      baseline: 'base',
      contenders: [work('base', () => 1), work('slow', () => 9)],
      targets: [{ contender: 'slow', atMost: 8 }],
    },
    { clock, rounds: 3, sampleTime: 1, warmUpTime: 0 },
  );
  assert.equal(result.contenders[1]?.target?.met, false);
});

test('a baseline that is not there is an error that names what is', () => {
  const { clock, work } = fakeTime();
  const comparison = {
    kind: 'comparison',
    title: 'lost',
    baseline: 'nobody',
    contenders: [work('a', () => 1)],
  } as const;
  const options = { clock, rounds: 1, sampleTime: 1, warmUpTime: 0 };
  assert.throws(() => compare(comparison, options), /no contender "nobody".+It has: a\./);
});
