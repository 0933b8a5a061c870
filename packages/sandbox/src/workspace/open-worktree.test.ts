import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { formatIdentity } from '../owner/process-identity.ts';
import { openWorktree, reapWorktrees } from './open-worktree.ts';

describe('a worktree', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-worktrees-'));
  const repository = join(folder, 'repository');
  after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: repository,
      encoding: 'utf8',
    });

  before(() => {
    mkdirSync(repository);
    git('init', '-q', '-b', 'main');
    writeFileSync(join(repository, 'a'), 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
  });

  it('stands on a branch of its own until it is removed', async () => {
    const tree = await openWorktree({ repository, branch: 'agent/work', folder });
    assert.match(git('worktree', 'list'), /agent\/work/);
    writeFileSync(join(tree.path, 'a'), 'two\n');
    writeFileSync(join(tree.path, 'b'), 'new\n');
    const { text } = await tree.diff();
    assert.match(text, /^-one\n\+two$/m);
    assert.match(text, /^\+new$/m);
    await tree.remove();
    assert.equal(existsSync(tree.path), false);
    assert.doesNotMatch(git('worktree', 'list'), /agent\/work/);
    assert.match(git('branch', '--list', 'agent/work'), /agent\/work/);
    assert.equal(git('status', '--porcelain'), '');
  });

  it('refuses names that are no branch, and branches that are there', async () => {
    for (const branch of ['-x', 'a..b', 'a b', '@{-1}', '']) {
      await assert.rejects(openWorktree({ repository, branch, folder }), (error) =>
        ForgeError.is(error, 'invalid_options'),
      );
    }
    await assert.rejects(openWorktree({ repository, branch: 'main', folder }), (error) =>
      ForgeError.is(error, 'tool_failed'),
    );
    await assert.rejects(openWorktree({ repository, branch: 'x', base: 'no-such', folder }));
    assert.deepEqual(await reapWorktrees(folder), []);
  });

  it('is removed when the process that opened it is dead', async () => {
    const tree = await openWorktree({ repository, branch: 'left', folder });
    assert.deepEqual(await reapWorktrees(folder), []);
    const dead = formatIdentity({ pid: 1, started: '1', space: '00000000' });
    const place = join(folder, `forge-worktree-${dead}-0123`);
    mkdirSync(place);
    writeFileSync(join(place, 'repository'), repository);
    git('worktree', 'add', '-q', '-b', 'dead', join(place, 'tree'));
    assert.equal((await reapWorktrees(folder)).length, 1);
    assert.equal(existsSync(place), false);
    assert.doesNotMatch(git('worktree', 'list'), /dead/);
    await tree.remove();
  });
});
