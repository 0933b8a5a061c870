import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { mergeSchema } from '../contracts.ts';
import { type MergeCommits, mergeCommits } from './merge-commits.ts';
import { commitOn, Ground, git, usersOwn } from './workspace-fixtures.test.ts';

const ground = new Ground();
after(() => ground.remove());

const identity = { name: 'Forge', email: 'forge@localhost' };
const merge = async (options: Omit<MergeCommits, 'identity' | 'message'>) =>
  mergeSchema.parse(await mergeCommits({ ...options, identity, message: 'Merge' }));
const lines = (...numbers: readonly number[]) => numbers.map((n) => `line ${n}\n`).join('');

describe('merging commits', () => {
  it('puts side by side work together, in order, and leaves all of the user’s own alone', async () => {
    const { repo, head: base } = ground.repository({ a: lines(1, 2, 3, 4, 5), b: 'b\n' });
    const one = commitOn(repo, base, { a: lines(0, 1, 2, 3, 4, 5) });
    const two = commitOn(repo, base, { a: lines(1, 2, 3, 4, 5, 6), c: 'c\n' });
    const three = commitOn(repo, base, { b: null });
    const before = usersOwn(repo);
    const commits = [
      { id: 'one', commit: one },
      { id: 'two', commit: two },
      { id: 'three', commit: three },
    ];
    const result = await merge({ repo, base, commits });
    assert.equal(result.status, 'merged');
    assert.equal(git(repo, 'show', `${result.commit}:a`), lines(0, 1, 2, 3, 4, 5, 6).trim());
    assert.equal(git(repo, 'ls-tree', '--name-only', result.commit), 'a\nc');
    assert.equal(git(repo, 'show', '-s', '--format=%an %s', result.commit), 'Forge Merge');
    for (const { commit } of commits)
      git(repo, 'merge-base', '--is-ancestor', commit, result.commit);
    assert.equal(usersOwn(repo), before);
    assert.deepEqual(await merge({ repo, base, commits }), result, 'the same, asked again');
  });

  it('gives one commit as it is, and the base for none', async () => {
    const { repo, head: base } = ground.repository({ a: 'a\n' });
    const one = commitOn(repo, base, { a: 'b\n' });
    assert.equal((await merge({ repo, base, commits: [{ id: 'x', commit: one }] })).commit, one);
    assert.equal((await merge({ repo, base, commits: [] })).commit, base);
  });

  it('does not merge again what a later task was built on', async () => {
    const { repo, head: base } = ground.repository({ a: 'a\n', b: 'b\n' });
    const one = commitOn(repo, base, { a: 'one\n' });
    const two = commitOn(repo, base, { b: 'two\n' });
    const both = await merge({
      repo,
      base,
      commits: [
        { id: 'one', commit: one },
        { id: 'two', commit: two },
      ],
    });
    // The third changes the very lines that the first did, knowing of it.
    const three = commitOn(repo, both.commit, { a: 'three\n' });
    const named = (...names: string[]) =>
      [one, two, three].map((commit, index) => ({ id: names[index] ?? '', commit }));
    const result = await merge({ repo, base, commits: named('one', 'two', 'three') });
    assert.deepEqual(result, { status: 'merged', commit: three });
    // Merged under other names, the first two are another commit: it fits nevertheless.
    const other = await merge({ repo, base, commits: named('a', 'b', 'c') });
    assert.equal(git(repo, 'diff', '--stat', other.commit, three), '');
  });

  it('stops at the first that does not fit, and shows where', async () => {
    const { repo, head: base } = ground.repository({ a: lines(1, 2, 3), 'd/x': 'x\n' });
    const one = commitOn(repo, base, { a: lines(1, 20, 3), 'd/x': 'mine\n' });
    const two = commitOn(repo, base, { a: lines(1, 21, 3), 'd/x': null });
    const three = commitOn(repo, base, { c: 'c\n' });
    const before = usersOwn(repo);
    const { status, commit, conflict } = await merge({
      repo,
      base,
      commits: [
        { id: 'one', commit: one },
        { id: 'two', commit: two },
        { id: 'three', commit: three },
      ],
    });
    assert.deepEqual(
      [status, commit, conflict?.commit, conflict?.task],
      ['conflict', one, two, 'two'],
    );
    assert.deepEqual(conflict?.files, ['a', 'd/x']);
    assert.match(conflict?.problem ?? '', /^The work of "two" does not fit/);
    assert.match(conflict?.problem ?? '', /CONFLICT \(contents?\): Merge conflict in a/);
    assert.match(conflict?.problem ?? '', /<<<<<<<.*line 20.*=======.*line 21/s);
    assert.equal(usersOwn(repo), before);
  });

  it('runs no merge driver, filter or hook of the repository', async () => {
    const { repo, head: base } = ground.repository({
      a: '1\n',
      '.gitattributes': '* merge=evil filter=evil\n',
    });
    for (const key of ['merge.evil.driver', 'filter.evil.clean', 'filter.evil.smudge']) {
      git(repo, 'config', key, `touch ${repo}/PWNED`);
    }
    git(repo, 'config', 'rerere.enabled', 'true');
    writeFileSync(join(repo, '.git/hooks/post-merge'), `#!/bin/sh\ntouch ${repo}/PWNED`, {
      mode: 0o755,
    });
    const commits = ['2\n', '3\n'].map((a, index) => ({
      id: String(index),
      commit: commitOn(repo, base, { a }),
    }));
    const before = usersOwn(repo);
    assert.equal((await merge({ repo, base, commits })).status, 'conflict');
    assert.equal(usersOwn(repo), before);
  });

  it('takes full hashes only, and says so of histories without a common beginning', async () => {
    const { repo, head: base } = ground.repository({ a: '1\n' });
    await assert.rejects(
      merge({ repo, base, commits: [{ id: 'x', commit: '--output=x' }] }),
      (error) => ForgeError.is(error, 'invalid_options'),
    );
    const tree = git(repo, 'rev-parse', 'HEAD^{tree}');
    const alone = git(repo, 'commit-tree', '-m', 'alone', tree);
    await assert.rejects(
      merge({ repo, base, commits: [{ id: 'x', commit: alone }] }),
      (error) => ForgeError.is(error, 'tool_failed') && /unrelated histories/.test(error.message),
    );
  });
});
