import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canReadUsage, readUsage, residentBytes } from './process-usage.ts';

test('reads the resident memory of a status file', () => {
  assert.equal(residentBytes('Name:\tnode\nVmRSS:\t   2048 kB\nThreads:\t7\n'), 2048 * 1024);
});

test('time goes up with work', { skip: !canReadUsage() }, () => {
  const before = readUsage(process.pid);
  let sum = 0;
  for (let at = 0; at < 5e6; at++) sum += Math.sqrt(at);
  const after = readUsage(process.pid);
  assert.ok(sum > 0);
  assert.ok(after.cpu > before.cpu);
  assert.ok(after.rss > 1e6);
});
