import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasMembers } from './process-group.ts';
import { identifyProcess, isRunning, parseProcStat } from './process-identity.ts';

test('this process is running, and the same number at another time is not', () => {
  const own = identifyProcess(process.pid);
  assert.ok(own && isRunning(own));
  assert.equal(isRunning({ ...own, began: `${own.began}0` }), false);
  assert.equal(identifyProcess(2 ** 30), undefined);
});

test('reads /proc/PID/stat whatever the program is called', () => {
  const rest = 'S 1 77 77 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 11 0 987654 1 2';
  const expected = { state: 'S', group: 77, began: '987654' };
  for (const name of ['node', 'a b', '(x) Z 1 2', ') R 5 6']) {
    assert.deepEqual(parseProcStat(`42 (${name}) ${rest}\n`), expected);
  }
  assert.equal(parseProcStat('42 (node) S 1'), undefined);
});

test('a group of nobody has no members', () => {
  assert.equal(hasMembers(2 ** 30), false);
});
