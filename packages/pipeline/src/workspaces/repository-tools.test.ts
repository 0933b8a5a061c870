import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { checkout } from './checkout.ts';
import { inspectRepository } from './inspect-repository.ts';
import { makeBranch } from './make-branch.ts';
import { pruneRefs } from './prune-refs.ts';
import { changedFiles, commitOf, diff } from './read-commits.ts';
import { runRef, startRef } from './run-ref.ts';
import { commitOn, Ground, git, usersOwn } from './workspace-fixtures.test.ts';

const ground = new Ground();
after(() => ground.remove());
const fails = (code: Parameters<typeof ForgeError.is>[1], pattern: RegExp) => (error: unknown) =>
  ForgeError.is(error, code) && pattern.test(error.message);

describe('a branch of a result', () => {
  it('is made once, without going to it', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    const commit = commitOn(repo, head, { a: 'b\n' });
    const options = { repo, name: 'forge/x', commit };
    assert.equal(await makeBranch(options), 'forge/x');
    assert.equal(await makeBranch(options), 'forge/x');
    assert.equal(git(repo, 'rev-parse', 'forge/x'), commit);
    assert.equal(git(repo, 'symbolic-ref', 'HEAD'), 'refs/heads/main');
    assert.equal(git(repo, 'status', '--porcelain'), '');
    assert.equal(
      git(repo, 'for-each-ref', '--format=%(refname)', 'refs/heads').split('\n').length,
      2,
    );
  });

  it('gets another name where that one is taken, or fails if it has to be that', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    const one = commitOn(repo, head, { a: 'one\n' });
    const two = commitOn(repo, head, { a: 'two\n' });
    await makeBranch({ repo, name: 'forge/x', commit: one });
    await assert.rejects(
      makeBranch({ repo, name: 'forge/x', commit: two, exact: true }),
      fails('already_exists', /forge\/x is there already.*git branch -D forge\/x/),
    );
    assert.equal(await makeBranch({ repo, name: 'forge/x', commit: two }), 'forge/x-2');
    assert.equal(await makeBranch({ repo, name: 'forge/x', commit: two }), 'forge/x-2');
    assert.equal(git(repo, 'rev-parse', 'forge/x'), one);
  });

  it('is refused under a name that is none, and where a branch is in the way', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    for (const name of ['', '-f', 'a..b', 'a b', 'HEAD', 'a.lock']) {
      await assert.rejects(
        makeBranch({ repo, name, commit: head }),
        fails('invalid_options', /not a name/),
        name,
      );
    }
    git(repo, 'branch', 'forge');
    await assert.rejects(
      makeBranch({ repo, name: 'forge/x', commit: head }),
      fails('tool_failed', /forge/),
    );
  });
});

describe('a commit as a folder', () => {
  it('has its files as they are, and nothing of git', async () => {
    const { repo, head } = ground.repository({
      'a.txt': 'a\n',
      'b/run.sh': '#!/bin/sh\n',
      '.gitattributes': '* text eol=crlf filter=evil\n',
    });
    git(repo, 'config', 'filter.evil.smudge', `touch ${repo}/PWNED`);
    const folder = join(ground.folder, 'release/one');
    await checkout({ repo, commit: head, folder });
    assert.deepEqual(readdirSync(folder).sort(), ['.gitattributes', 'a.txt', 'b']);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'a\n');
    assert.ok(!existsSync(join(repo, 'PWNED')));
    await assert.rejects(
      checkout({ repo, commit: head, folder }),
      fails('already_exists', /release\/one/),
    );
    assert.deepEqual(readdirSync(join(ground.folder, 'release')), ['one'], 'no draft is left');
  });

  it('keeps links that stay inside, and is refused with one that leads out', async () => {
    const { repo } = ground.repository({ a: 'a\n' });
    mkdirSync(join(repo, 'sub'));
    symlinkSync('../a', join(repo, 'sub/fine'));
    git(repo, 'add', '-A');
    git(repo, 'commit', '-qm', 'Two');
    const folder = join(ground.folder, 'links');
    await checkout({ repo, commit: git(repo, 'rev-parse', 'HEAD'), folder });
    assert.equal(readlinkSync(join(folder, 'sub/fine')), '../a');
    symlinkSync('/etc/passwd', join(repo, 'sub/out'));
    git(repo, 'add', '-A');
    git(repo, 'commit', '-qm', 'Three');
    const other = join(ground.folder, 'links-2');
    await assert.rejects(
      checkout({ repo, commit: git(repo, 'rev-parse', 'HEAD'), folder: other }),
      fails('not_allowed', /\(sub\/out\)/),
    );
    assert.ok(!existsSync(other));
  });
});

describe('looking at commits', () => {
  it('shows all that changed, whatever the repository says of showing', async () => {
    const { repo, head } = ground.repository({
      'a.txt': 'a\n',
      b: 'b\n',
      '.gitattributes': '* -diff\n*.txt diff=evil\n',
    });
    git(repo, 'config', 'diff.evil.textconv', `touch ${repo}/PWNED`);
    git(repo, 'config', 'diff.external', `touch ${repo}/PWNED`);
    git(repo, 'config', 'diff.noprefix', 'true');
    const to = commitOn(repo, head, { 'a.txt': 'a\nevil\n', b: null, 'ü n.txt': 'new\n' });
    const { text, cut } = await diff({ repo, from: head, to });
    assert.match(text, /^\+evil$/m);
    assert.match(text, /^--- a\/a\.txt$/m);
    assert.match(text, /^deleted file mode/m);
    assert.equal(cut, false);
    assert.deepEqual(await changedFiles({ repo, from: head, to }), ['a.txt', 'b', 'ü n.txt']);
    const short = await diff({ repo, from: head, to, cutAt: 50 });
    assert.deepEqual([short.text.length, short.cut], [50, true]);
    assert.ok(!existsSync(join(repo, 'PWNED')));
    await assert.rejects(
      diff({ repo, from: '--output=x', to }),
      fails('invalid_options', /full hash/),
    );
  });

  it('shows text that a zero byte passes off as binary, and names what is', async () => {
    const { repo, head } = ground.repository({ 'a.js': 'a();\n' });
    const png = `\x89PNG\r\n\x1a\n${'\0\0\x01\x02\x03'.repeat(100)}`;
    const to = commitOn(repo, head, {
      'a.js': '/* \0 */ evil();\n',
      'odd [name]*.sh': 'evil2 # \0\n',
      'x.png': png,
    });
    const { text, cut } = await diff({ repo, from: head, to });
    assert.match(text, /^\+\/\* \0 \*\/ evil\(\);$/m);
    assert.match(text, /^\+evil2 # \0$/m);
    assert.match(text, /^Binary files \/dev\/null and b\/x\.png differ$/m);
    assert.doesNotMatch(text, /\+.PNG/);
    assert.equal(cut, false);
  });

  it('finds a commit by its name', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    git(repo, 'tag', '-a', 'v1', '-m', 'v1');
    for (const ref of ['HEAD', 'main', 'v1', head.slice(0, 10)]) {
      assert.equal(await commitOf(repo, ref), head);
    }
    for (const ref of ['nowhere', '--all', 'HEAD^{tree}', '']) {
      await assert.rejects(commitOf(repo, ref), fails('not_found', /There is no commit/), ref);
    }
  });
});

describe('inspecting a repository', () => {
  it('tells a clean one on a branch, from any folder of it', async () => {
    const { repo, head } = ground.repository({ 'sub/a': 'a\n' });
    assert.deepEqual(await inspectRepository(join(repo, 'sub')), {
      ...{
        root: repo,
        head,
        branch: 'main',
        detached: false,
        dirty: [],
        bare: false,
        empty: false,
      },
    });
  });

  it('names what is changed, staged and new, and runs no filter for it', async () => {
    const { repo } = ground.repository({
      a: 'a\n',
      b: 'b\n',
      c: 'c\n',
      '.gitattributes': '* filter=evil\n',
      '.gitignore': '*.log\n',
    });
    writeFileSync(join(repo, 'a'), 'changed\n');
    git(repo, 'rm', '-q', '--cached', 'b');
    writeFileSync(join(repo, 'ü new'), 'new\n');
    writeFileSync(join(repo, 'x.log'), 'ignored\n');
    git(repo, 'config', 'filter.evil.clean', `touch ${repo}/PWNED; cat`);
    git(repo, 'config', 'filter.evil.required', 'true');
    git(repo, 'config', 'core.fsmonitor', `touch ${repo}/PWNED`);
    const before = readFileSync(join(repo, '.git/index'));
    const { dirty } = await inspectRepository(repo);
    assert.deepEqual([...new Set(dirty)].sort(), ['a', 'b', 'ü new']);
    assert.deepEqual(readFileSync(join(repo, '.git/index')), before);
    assert.ok(!existsSync(join(repo, 'PWNED')));
  });

  it('takes for ignored what the user ignores everywhere', async () => {
    const { repo } = ground.repository({ a: 'a\n' });
    writeFileSync(join(repo, '.DS_Store'), 'x');
    writeFileSync(join(repo, 'notes'), 'x');
    const home = ground.folderWith({ '.config/git/ignore': '.DS_Store\n', mine: 'notes\n' });
    assert.deepEqual((await inspectRepository(repo, { home })).dirty, ['notes']);
    writeFileSync(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/mine\n');
    assert.deepEqual((await inspectRepository(repo, { home })).dirty, ['.DS_Store']);
  });

  it('tells one without a commit, a detached head, a bare one, and none at all', async () => {
    const none = ground.folderWith({ a: 'a' });
    await assert.rejects(
      inspectRepository(none),
      fails('invalid_options', /is not in a git repository.*git init && git add -A && git commit/),
    );
    await assert.rejects(inspectRepository(join(none, 'no')), fails('not_found', /no folder/));
    git(none, 'init', '-q', '-b', 'main');
    const empty = await inspectRepository(none);
    assert.deepEqual(
      [empty.empty, empty.head, empty.branch, empty.dirty],
      [true, undefined, 'main', ['a']],
    );
    const { repo, head } = ground.repository({ a: 'a\n' });
    git(repo, 'checkout', '-q', '--detach');
    const detached = await inspectRepository(repo);
    assert.deepEqual([detached.detached, detached.branch, detached.head], [true, undefined, head]);
    git(repo, 'clone', '-q', '--bare', '.', '../bare.git');
    const bare = await inspectRepository(join(repo, '../bare.git'));
    assert.deepEqual([bare.bare, bare.head, bare.dirty], [true, head, []]);
  });
});

describe('pruning the trees of runs', () => {
  it('forgets those that nobody needs, and touches nothing else', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    for (const runId of ['r1', 'r1.2.code', 'r2']) git(repo, 'update-ref', runRef(runId), head);
    git(repo, 'update-ref', 'refs/forge/runs/not%zzours', head);
    for (const runId of ['r1', 'r2']) git(repo, 'update-ref', startRef(runId), head);
    const before = usersOwn(repo);
    assert.deepEqual(await pruneRefs(repo, (runId) => runId === 'r2'), ['r1', 'r1.2.code']);
    assert.deepEqual(git(repo, 'for-each-ref', '--format=%(refname)', 'refs/forge').split('\n'), [
      'refs/forge/runs/not%zzours',
      'refs/forge/runs/r2',
      'refs/forge/starts/r2',
    ]);
    assert.equal(usersOwn(repo), before);
  });
});
