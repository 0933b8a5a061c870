import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeTime } from './fake-clock.ts';
import { scale } from './scale.ts';

test('fits how the time grows with the size', () => {
  const { clock, work } = fakeTime();
  const sizes = [10, 20, 40, 80];
  const result = scale(
    {
      kind: 'scaling',
      title: 'growth',
      unit: 'things',
      cases: [
        { name: 'linear', sizes, atMost: 1.2, prepare: (size) => work('l', () => size).run },
        {
          name: 'quadratic',
          sizes,
          atMost: 1.2,
          prepare: (size) => work('q', () => size ** 2).run,
        },
      ],
    },
    { clock, rounds: 3, sampleTime: 1, warmUpTime: 0 },
  );
  const [linear, quadratic] = result.cases;
  assert.equal(linear?.exponent.toFixed(3), '1.000');
  assert.equal(linear?.target?.met, true);
  assert.equal(quadratic?.exponent.toFixed(3), '2.000');
  assert.equal(quadratic?.target?.met, false);
  assert.deepEqual(
    linear?.points.map(({ nanoseconds }) => nanoseconds.median),
    [10e6, 20e6, 40e6, 80e6],
  );
});
