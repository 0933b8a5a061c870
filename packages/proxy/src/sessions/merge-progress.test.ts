import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshProgress, type Progress } from '@forge/core';
import { mergeProgress } from './merge-progress.ts';

const turn = (calls: string, results = 'ok') => ({ calls, results });
const progress = (fields: Partial<Progress>): Progress => ({ ...freshProgress, ...fields });

describe('mergeProgress', () => {
  it('is what the history shows, where nothing is stored', () => {
    const shown = progress({ facts: ['a'] });
    assert.equal(mergeProgress(undefined, shown), shown);
  });

  it('unites facts, and takes refusals in a row as they were stored', () => {
    const merged = mergeProgress(
      progress({ facts: ['a', 'b'], retries: 2, premature: 1, prerequisites: 3, repeats: 4 }),
      progress({ facts: ['b', 'c'] }),
    );
    assert.deepEqual(merged.facts, ['a', 'b', 'c']);
    assert.equal(merged.retries, 2);
    assert.equal(merged.premature, 1);
    assert.equal(merged.prerequisites, 3);
    assert.equal(merged.repeats, 4);
  });

  it('forgives failed calls after one that did not fail, and else takes the larger count', () => {
    const recent = [turn('x')];
    const stored = progress({ toolErrors: 2 });
    assert.equal(mergeProgress(stored, progress({ recent })).toolErrors, 0);
    assert.equal(mergeProgress(stored, progress({ recent, toolErrors: 1 })).toolErrors, 2);
    assert.equal(mergeProgress(stored, progress({ recent, toolErrors: 3 })).toolErrors, 3);
    assert.equal(mergeProgress(stored, progress({})).toolErrors, 2);
  });

  it('takes the turns of a history that is as long, with its newer results', () => {
    const stored = progress({ recent: [turn('a'), turn('b', 'waiting')] });
    const shown = progress({ recent: [turn('a'), turn('b', 'ok')] });
    assert.deepEqual(mergeProgress(stored, shown).recent, shown.recent);
  });

  it('puts the turns a client cut off before those it still shows', () => {
    const stored = progress({ recent: ['a', 'b', 'c', 'd'].map((name) => turn(name)) });
    const shown = progress({ recent: [turn('d', 'new'), turn('e')] });
    assert.deepEqual(mergeProgress(stored, shown).recent, [
      ...['a', 'b', 'c'].map((name) => turn(name)),
      turn('d', 'new'),
      turn('e'),
    ]);
    assert.deepEqual(mergeProgress(stored, progress({})).recent, stored.recent);
  });

  it('stays bounded', () => {
    let kept = progress({});
    for (let at = 0; at < 3_000; at++) {
      const facts = ['step', `read.path=${at}`];
      kept = mergeProgress(kept, progress({ facts, recent: [turn(`read ${at}`)] }));
    }
    assert.equal(kept.facts.length, 1_000);
    assert.ok(kept.facts.includes('step'));
    assert.equal(kept.recent.length, 9);
    assert.equal(kept.recent.at(-1)?.calls, 'read 2999');
  });
});
