import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../errors.ts';
import { contextWarning } from './context-warning.ts';

function levelsAndWarnings(fractions: readonly number[]) {
  let level = 0;
  return fractions.map((fraction) => {
    const next = contextWarning({ level, fraction });
    level = next.level;
    return [next.level, next.warning !== undefined];
  });
}

test('warns once per threshold, and again only after usage fell below it', () => {
  assert.deepEqual(levelsAndWarnings([0.5, 0.65, 0.7, 0.8, 0.9, 0.7, 0.85, 0.1, 0.66]), [
    [0, false],
    [1, true],
    [1, false],
    [2, true],
    [2, false],
    [1, false],
    [2, true],
    [0, false],
    [1, true],
  ]);
});

test('passing both thresholds at once gives the stronger warning', () => {
  const { level, warning } = contextWarning({ level: 0, fraction: 0.93 });
  assert.equal(level, 2);
  assert.match(warning ?? '', /93% full\. Finish/);
});

test('own thresholds and words; thresholds that do not rise are refused', () => {
  const steps = [{ at: 0.5, text: (percent: number) => `half: ${percent}` }];
  assert.deepEqual(contextWarning({ level: 0, fraction: 0.51, steps }), {
    level: 1,
    warning: 'half: 51',
  });
  const twice = [...steps, ...steps];
  assert.throws(
    () => contextWarning({ level: 0, fraction: 0, steps: twice }),
    (error) => ForgeError.is(error, 'invalid_options'),
  );
});

test('a fraction that is not a number changes nothing', () => {
  assert.deepEqual(contextWarning({ level: 1, fraction: Number.NaN }), { level: 1 });
});
