import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshProgress, noteBatch } from './progress.ts';

describe('what is remembered of a long run', () => {
  it('is every step, and of the rest the newest', () => {
    let progress = freshProgress;
    const note = (name: string, ...facts: string[]) => {
      const call = { name, args: {}, outcome: 'ok' as const, facts, output: '' };
      progress = noteBatch(progress, [call, call]);
    };
    note('plan', 'plan');
    for (let at = 0; at < 3_000; at++) note('read', 'read', `read.path=${at}`);
    assert.equal(progress.facts.length, 1_000);
    assert.equal(new Set(progress.facts).size, 1_000);
    assert.ok(progress.facts.includes('plan'));
    assert.ok(progress.facts.includes('read.path=2999'));
    assert.ok(!progress.facts.includes('read.path=0'));
  });
});
