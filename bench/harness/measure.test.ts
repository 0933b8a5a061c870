import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeTime } from './fake-clock.ts';
import { measure } from './measure.ts';

test('takes one sample of each contender a round, in nanoseconds per run', () => {
  const { clock, work } = fakeTime();
  const contenders = [work('a', () => 0.25), work('b', () => 4)];
  const samples = measure(contenders, { clock, rounds: 5, sampleTime: 2, warmUpTime: 10 });
  assert.deepEqual(samples.get('a'), Array(5).fill(250_000));
  assert.deepEqual(samples.get('b'), Array(5).fill(4_000_000));
});

test('goes in turns and changes who is first', () => {
  const { clock, work, log } = fakeTime();
  const contenders = ['a', 'b', 'c'].map((name) => work(name, () => 2));
  measure(contenders, { clock, rounds: 3, sampleTime: 2, warmUpTime: 0 });
  assert.equal(log.slice(-9).join(''), 'abcbcacab');
});

test('fills a sample with as many runs as it takes', () => {
  const { clock, work, log } = fakeTime();
  measure([work('a', () => 0.01)], { clock, rounds: 1, sampleTime: 2, warmUpTime: 0 });
  // Doubling to a batch of 128 (1.28 ms, more than half a sample) takes 255 runs.
  assert.equal(log.length - 255, 200);
});

test('warms up before it counts', () => {
  const { clock, work } = fakeTime();
  let runs = 0;
  const slowAtFirst = work('a', () => (runs++ < 50 ? 10 : 1));
  const samples = measure([slowAtFirst], { clock, rounds: 3, sampleTime: 1, warmUpTime: 600 });
  assert.deepEqual(samples.get('a'), Array(3).fill(1_000_000));
});

test('comes to an end with work that takes no time at all', () => {
  const samples = measure([{ name: 'a', run: () => 1 }], {
    clock: () => 0,
    rounds: 1,
    sampleTime: 2,
    warmUpTime: 0,
  });
  assert.deepEqual(samples.get('a'), [0]);
});
