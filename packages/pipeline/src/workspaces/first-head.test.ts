import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { firstHead } from './first-head.ts';

it('a run that names no commit begins with the last one there is, and stays with it', async (t) => {
  const repo = mkdtempSync(join(tmpdir(), 'forge-head-'));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: repo,
      encoding: 'utf8',
    }).trim();
  const commit = () => {
    git('commit', '-q', '--allow-empty', '-m', 'more');
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q');
  const first = commit();
  const asked = await Promise.all([firstHead(repo, 'nightly.1'), firstHead(repo, 'nightly.1')]);
  assert.deepEqual(asked, [first, first]);
  const second = commit();
  assert.equal(await firstHead(repo, 'nightly.1'), first);
  assert.equal(await firstHead(repo, 'nightly.2'), second);
});
