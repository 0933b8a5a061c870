import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  counted,
  inBrief,
  inClock,
  inDate,
  inDollars,
  inShort,
  inTime,
  saidInBrief,
} from './words.ts';

describe('figures in words', () => {
  it('of time', () => {
    assert.deepEqual([-5, 0, 999, 61_000, 3_599_999, 7_500_000].map(inTime), [
      '0s',
      '0s',
      '0s',
      '1m 01s',
      '59m 59s',
      '2h 05m',
    ]);
  });

  it('of counts', () => {
    assert.deepEqual([0, 999, 1_000, 9_949, 12_345, 999_949, 999_950, 3_140_000].map(inShort), [
      '0',
      '999',
      '1.0k',
      '9.9k',
      '12k',
      '1000k',
      '1.0M',
      '3.1M',
    ]);
    assert.deepEqual([counted(1, 'run'), counted(2_000, 'run')], ['1 run', '2,000 runs']);
  });

  it('of money and dates', () => {
    assert.equal(inDollars(0.03124), '$0.0312');
    assert.equal(inDate(0), '1970-01-01 00:00:00');
    assert.equal(inClock(3_661_000), '01:01:01');
  });

  it('of calls: the first text one recognises it by', () => {
    assert.equal(inBrief({ depth: 2, command: 'npm\ntest' }), 'npm test');
    assert.equal(inBrief({ depth: 2 }), '{"depth":2}');
    assert.equal(inBrief({}), '');
    const commit = 'c'.repeat(40);
    assert.equal(inBrief({ commit, request: 'a shop' }), 'a shop');
    assert.equal(inBrief({ commit, task: { id: 'x', title: 'The till' } }), 'The till');
    assert.equal(inBrief({ commit }), commit);
  });

  it('of what a run was told', () => {
    assert.equal(saidInBrief('build a\nshop'), 'build a shop');
    assert.equal(saidInBrief('{"request":"a shop"}'), 'a shop');
    assert.equal(saidInBrief('{ broken'), '{ broken');
  });
});
