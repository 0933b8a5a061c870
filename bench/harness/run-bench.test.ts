import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeTime } from './fake-clock.ts';
import { runBench } from './run-bench.ts';

test('measures every section in order', () => {
  const { clock, work } = fakeTime();
  const results = runBench(
    {
      name: 'both',
      sections: [
        { kind: 'comparison', title: 'one', baseline: 'a', contenders: [work('a', () => 1)] },
        {
          kind: 'scaling',
          title: 'two',
          unit: 'things',
          cases: [{ name: 'c', sizes: [1, 2], prepare: (size) => work('c', () => size).run }],
        },
      ],
    },
    { clock, rounds: 4, sampleTime: 1, warmUpTime: 0 },
  );
  assert.deepEqual(
    [...results].map(({ title, kind }) => [title, kind]),
    [
      ['one', 'comparison'],
      ['two', 'scaling'],
    ],
  );
});
