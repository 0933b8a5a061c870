import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { adviceOf, defaultRule, ruleOf } from './rule.ts';
import { wilson } from './wilson.ts';

const trial = (wins: number, tries: number) => ({ wins, tries });

describe('ruleOf', () => {
  it('changes nothing without evidence', () => {
    assert.deepEqual(ruleOf({ modes: {}, rungs: {} }), defaultRule);
    const few = { native: trial(0, 11), prompt: trial(11, 11) };
    assert.deepEqual(ruleOf({ modes: few, rungs: {} }), defaultRule);
    const near = { native: trial(30, 60), prompt: trial(36, 60) };
    assert.deepEqual(ruleOf({ modes: near, rungs: {} }), defaultRule);
  });

  it('describes tools in the prompt where that is clearly better, and looks back now and then', () => {
    const rule = ruleOf({ modes: { native: trial(4, 40), prompt: trial(36, 40) }, rungs: {} });
    assert.deepEqual(rule, { mode: 'prompt', otherEvery: 20 });
    const advised = Array.from({ length: 100 }, (_, at) => adviceOf(rule, at + 1).mode);
    assert.equal(advised.filter((mode) => mode === 'native').length, 5);
  });

  it('tries the prompt on one in five where native is clearly poor, until it knows', () => {
    const poor = trial(1, 20);
    const rule = ruleOf({ modes: { native: poor }, rungs: {} });
    assert.deepEqual(rule, { mode: 'native', otherEvery: 5 });
    const advised = Array.from({ length: 20 }, (_, at) => adviceOf(rule, at + 1).mode);
    assert.equal(advised.filter((mode) => mode === 'prompt').length, 4);
    const known = ruleOf({ modes: { native: poor, prompt: trial(1, 12) }, rungs: {} });
    assert.deepEqual(known, defaultRule);
  });

  it('constrains the first retry where that is clearly better than a nudge', () => {
    const rungs = { nudged: trial(5, 30), constrained: trial(28, 30) };
    assert.equal(ruleOf({ modes: {}, rungs }).constrainAfter, 1);
    const other = { nudged: trial(28, 30), constrained: trial(5, 30) };
    assert.equal(ruleOf({ modes: {}, rungs: other }).constrainAfter, undefined);
  });
});

describe('wilson', () => {
  it('knows nothing without tries', () => {
    assert.deepEqual(wilson(trial(0, 0)), { lower: 0, upper: 1 });
  });

  it('agrees with a known value', () => {
    const { lower, upper } = wilson(trial(8, 10));
    assert.ok(Math.abs(lower - 0.4902) < 1e-3 && Math.abs(upper - 0.9433) < 1e-3);
  });

  it('is an interval round the share that gets narrower with more of the same', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (wins, losses) => {
        fc.pre(wins + losses > 0);
        const tries = wins + losses;
        const { lower, upper } = wilson(trial(wins, tries));
        const more = wilson(trial(wins * 2, tries * 2));
        assert.ok(lower >= 0 && upper <= 1);
        assert.ok(lower <= wins / tries + 1e-9 && wins / tries <= upper + 1e-9);
        assert.ok(more.upper - more.lower <= upper - lower + 1e-9);
      }),
    );
  });
});
