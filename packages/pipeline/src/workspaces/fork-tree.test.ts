import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { forkTree, reflogNote } from './fork-tree.ts';
import { runRef } from './run-ref.ts';

describe('the tree of a forked run', () => {
  let repo = '';
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: repo,
      encoding: 'utf8',
    }).trim();
  const keep = (at: number): string => {
    git('commit', '-q', '--allow-empty', '-m', `at ${at}`);
    const commit = git('rev-parse', 'HEAD');
    git('update-ref', '--create-reflog', '-m', reflogNote(at, 'write'), runRef('a'), commit);
    return commit;
  };
  const commits: string[] = [];

  before(() => {
    repo = mkdtempSync(join(tmpdir(), 'forge-fork-'));
    git('init', '-q');
    for (const at of [1000, 2000, 2001]) commits.push(keep(at));
  });
  after(() => rmSync(repo, { recursive: true, force: true }));

  it('is what was kept last by then', async () => {
    for (const [at, commit] of [
      [1000, commits[0]],
      [1999, commits[0]],
      [2000, commits[1]],
      [9999, commits[2]],
    ] as const) {
      const to = `fork-${at}`;
      assert.equal(await forkTree({ repo, from: 'a', to, at }), commit);
      assert.equal(git('rev-parse', runRef(to)), commit);
    }
  });

  it('is where the origin began if nothing had been kept', async () => {
    assert.equal(await forkTree({ repo, from: 'a', to: 'early', at: 999 }), undefined);
    assert.equal(await forkTree({ repo, from: 'nobody', to: 'other', at: 5000 }), undefined);
  });

  it('can be forked again', async () => {
    await forkTree({ repo, from: 'a', to: 'b', at: 2000 });
    assert.equal(await forkTree({ repo, from: 'b', to: 'c', at: 3000 }), commits[1]);
  });
});
