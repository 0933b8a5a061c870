import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findLoop } from './find-loop.ts';
import { longestLoop, loopRounds, type TurnPrint } from './progress.ts';

const turn = (calls: string, results = 'same'): TurnPrint => ({ calls, results });

describe('findLoop', () => {
  it('lets the same call pass twice and stops it the third time', () => {
    assert.equal(findLoop([turn('a')], 'a'), 0);
    assert.equal(findLoop([turn('a'), turn('a')], 'a'), 1);
  });

  it('notices two calls that alternate', () => {
    const recent = [turn('a'), turn('b'), turn('a'), turn('b'), turn('a')];
    assert.equal(findLoop(recent, 'b'), 2);
    assert.equal(findLoop(recent, 'c'), 0);
  });

  it('does not take polling that gets new results for a loop', () => {
    assert.equal(findLoop([turn('poll', '10%'), turn('poll', '20%')], 'poll'), 0);
    assert.equal(findLoop([turn('poll', '20%'), turn('poll', '20%')], 'poll'), 1);
  });

  it('forgets a loop that was broken', () => {
    assert.equal(findLoop([turn('a'), turn('a'), turn('b')], 'a'), 0);
  });

  it('finds a loop exactly when the last rounds are the same turns over and over', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 10 });
    fc.assert(
      fc.property(letters, fc.constantFrom('a', 'b', 'c'), (past, next) => {
        const all = [...past, next];
        const expected = Array.from({ length: longestLoop }, (_, index) => index + 1).find(
          (period) => {
            const tail = all.slice(-period * loopRounds);
            return (
              tail.length === period * loopRounds &&
              tail.every((calls, at) => at < period || calls === tail[at - period])
            );
          },
        );
        assert.equal(
          findLoop(
            past.map((calls) => turn(calls)),
            next,
          ),
          expected ?? 0,
        );
      }),
    );
  });
});
