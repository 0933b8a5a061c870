import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mistakeNames } from './mistakes.ts';
import { readOptions } from './read-options.ts';

const known = ['opencode', 'codex'];

describe('readOptions', () => {
  it('takes every client and mistake unless told otherwise', () => {
    const all = { clients: known, mistakes: mistakeNames, isVerbose: false };
    assert.deepEqual(readOptions([], known), all);
    assert.deepEqual(readOptions(['codex', '--mistake', 'text', '--verbose'], known), {
      clients: ['codex'],
      mistakes: ['text'],
      isVerbose: true,
    });
  });

  it('helps, and says what it does not know', () => {
    assert.partialDeepStrictEqual(readOptions(['--help'], known), { exitCode: 0 });
    for (const odd of [['emacs'], ['--mistake', 'none'], ['--loud']]) {
      const { say, exitCode } = Object(readOptions(odd, known));
      assert.equal(exitCode, 2);
      assert.match(say, new RegExp(odd.at(-1) ?? ''));
    }
  });
});
