import assert from 'node:assert/strict';
import { it } from 'node:test';
import { areRight } from './proxy-ask.ts';
import { taskSets } from './proxy-tasks.ts';

it('arguments are right up to case, spaces, and a number written as text', () => {
  const expected = { item: 'call the bank', count: 12 };
  assert.equal(areRight({ count: '12', item: ' Call the  Bank' }, expected), true);
  assert.equal(areRight({ count: 12, item: 'call_bank' }, expected), false);
  assert.equal(areRight({ item: 'call the bank' }, expected), false);
  assert.equal(areRight({ ...expected, more: 1 }, expected), false);
  assert.equal(areRight('call the bank', expected), false);
});

it('every set has ten tasks over four tools, each of its own', () => {
  for (const { tools, tasks } of taskSets) {
    assert.deepEqual([tools.length, tasks.length], [4, 10]);
    for (const { tool } of tasks) assert.ok(tools.some(({ name }) => name === tool));
  }
  const names = taskSets.flatMap(({ tools }) => tools.map(({ name }) => name));
  assert.equal(new Set(names).size, names.length);
});
