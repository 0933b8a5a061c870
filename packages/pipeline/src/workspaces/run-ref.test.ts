import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runOfRef, runRef } from './run-ref.ts';

describe('the ref of a run', () => {
  it('reads like the id where that is plain', () => {
    assert.equal(runRef('0b7f-1.2.code'), 'refs/forge/runs/0b7f-1.2.code');
  });

  it('is a name git takes, and leads back to the run, for every id', () => {
    const id = fc.oneof(
      fc.string({ minLength: 1, maxLength: 500, unit: 'binary' }),
      fc.string({ minLength: 1, unit: fc.constantFrom('.', '/', '@', '{', 'lock', '+', '-', '~') }),
    );
    fc.assert(
      fc.property(id, (runId) => {
        const ref = runRef(runId);
        assert.equal(runOfRef(ref), runId.toWellFormed());
        for (const part of ref.split('/')) assert.ok(part.length <= 201);
        assert.match(ref, /^refs\/forge\/runs\/(?:[\w.%-]+\+\/)*[\w.%-]+$/);
        assert.doesNotMatch(ref, /\/\.|\.\.|\.\/|\.$|\.lock$/);
      }),
      { numRuns: 300 },
    );
    for (const runId of ['..', 'a.lock', '.a.', '@{', 'é ~^:', 'x'.repeat(401), 'a/b\n*']) {
      execFileSync('git', ['check-ref-format', runRef(runId)]);
    }
  });

  it('knows what is none of ours', () => {
    assert.equal(runOfRef('refs/heads/main'), undefined);
    assert.equal(runOfRef('refs/forge/runs/a%zz'), undefined);
    assert.equal(runOfRef('refs/forge/runs/a%61'), undefined);
  });
});
