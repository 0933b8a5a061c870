import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRestart } from './backend-options.ts';
import { restartDelay } from './restart-delay.ts';

test('waits twice as long each time, up to a bound', () => {
  const delays = [1, 2, 3, 7, 20].map((inRow) => restartDelay(defaultRestart, inRow));
  assert.deepEqual(delays, [1_000, 2_000, 4_000, 60_000, 60_000]);
});
