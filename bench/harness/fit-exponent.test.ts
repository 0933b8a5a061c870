import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitExponent } from './fit-exponent.ts';

test('finds the exponent of any power law', () => {
  const exponent = fc.double({ min: 0, max: 3, noNaN: true });
  const factor = fc.double({ min: 0.001, max: 1000, noNaN: true });
  fc.assert(
    fc.property(exponent, factor, (power, c) => {
      const points = [1, 2, 4, 8, 16].map((size) => ({ size, time: c * size ** power }));
      assert.ok(Math.abs(fitExponent(points) - power) < 1e-6);
    }),
  );
});

test('stays near the truth with noise, and tells linear from quadratic', () => {
  const noise = [1.1, 0.92, 1.05, 0.97, 1.08];
  const fit = (power: number) =>
    fitExponent(
      noise.map((factor, index) => {
        const size = 1000 * 2 ** index;
        return { size, time: factor * size ** power };
      }),
    );
  assert.ok(Math.abs(fit(1) - 1) < 0.1);
  assert.ok(Math.abs(fit(2) - 2) < 0.1);
});
