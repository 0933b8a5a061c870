import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestOf } from './best-of.ts';
import type { RunResult } from './load-driver.ts';

const run = (cpu: number | undefined, p50 = 1): RunResult => ({
  requests: 100,
  seconds: p50,
  p50,
  p99: p50 * 2,
  firstByte: p50 / 2,
  cpu,
  rss: cpu === undefined ? undefined : 5e7,
});

test('takes the best round of each figure, and the ratio within the rounds', () => {
  const rounds = new Map([
    ['bare', [run(100), run(200), run(100)]],
    ['ours', [run(120, 3), run(240, 2), run(150, 4)]],
    ['direct', [run(undefined), run(undefined), run(undefined)]],
  ]);
  const [bare, ours, direct] = bestOf(rounds, 'bare');
  assert.equal(bare?.ratio, 1);
  assert.equal(ours?.cpu, 120);
  assert.equal(ours?.ratio, 1.2);
  assert.equal(ours?.p50, 2);
  assert.equal(ours?.perSecond, 50);
  assert.equal(direct?.cpu, undefined);
  assert.equal(direct?.ratio, undefined);
});
