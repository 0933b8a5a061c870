import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { writeTar } from '../archive/write-tar.ts';
import { createProcessBackend } from '../process/create-process-backend.ts';
import type { Sandbox } from '../sandbox.ts';
import { applyChanges } from './apply-changes.ts';
import { collectChanges } from './collect-changes.ts';
import { type OpenWorkspace, openWorkspace, type Workspace } from './open-workspace.ts';

const backend = createProcessBackend({ trusted: true });
const stateFolder = mkdtempSync(join(tmpdir(), 'forge-state-'));
const roots: string[] = [stateFolder];
const workspaces: Workspace[] = [];

async function open(options: OpenWorkspace): Promise<Workspace> {
  const workspace = await openWorkspace({ stateFolder, ...options });
  workspaces.push(workspace);
  return workspace;
}

after(async () => {
  for (const workspace of workspaces) await workspace.discard();
  await backend.close();
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

/** A folder of the user's, with these files; a value that begins with `->` is a link. */
function tree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'forge-tree-'));
  roots.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    if (content.startsWith('->')) symlinkSync(content.slice(2), join(root, path));
    else writeFileSync(join(root, path), content);
  }
  return root;
}

function git(cwd: string, ...args: string[]): string {
  const settings = [
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@localhost',
    '-c',
    'init.defaultBranch=main',
  ];
  return execFileSync('git', [...settings, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function sh(sandbox: Sandbox, script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await sandbox.exec({ argv: ['sh', '-c', script] }).result;
  assert.equal(exitCode, 0, Buffer.from(stderr).toString());
  return Buffer.from(stdout).toString();
}

/** Everything in a folder, as text. */
function look(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name);
    const name = full.slice(root.length + 1);
    if (name === '.git' || name.startsWith('.git/')) continue;
    if (entry.isSymbolicLink()) found[name] = `->${readlinkSync(full)}`;
    else if (entry.isFile()) found[name] = readFileSync(full, 'utf8');
  }
  return found;
}

describe('a workspace', () => {
  let sandbox: Sandbox;
  const fresh = async () => {
    sandbox = await backend.start();
    return sandbox;
  };
  before(fresh);

  it('carries over what was added, changed and deleted', async () => {
    const root = tree({
      'keep.txt': 'same\n',
      'edit.txt': 'one\ntwo\n',
      'gone/deep.txt': 'old\n',
      'private.txt': 'p\n',
      link: '->keep.txt',
      'run.sh': '#!/bin/sh\n',
      'turns/into': 'a file was in a folder\n',
    });
    chmodSync(join(root, 'private.txt'), 0o600);
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(
      sandbox,
      `echo three >> edit.txt; rm -r gone; mkdir -p new/er; echo new > 'new/er/odd name'
       echo more >> private.txt; chmod +x run.sh; ln -sf edit.txt link; rm -r turns; echo file > turns
       rm keep.txt; mkdir keep.txt; echo inside > keep.txt/inside; : > empty; ln run.sh second`,
    );
    const { changes, refused, ignored } = await workspace.changes();
    assert.deepEqual(
      changes.map(({ path, type }) => `${type} ${path}`),
      [
        'modified edit.txt',
        'added empty',
        'deleted gone/deep.txt',
        'deleted keep.txt',
        'added keep.txt/inside',
        'modified link',
        'added new/er/odd name',
        'modified private.txt',
        'modified run.sh',
        'added second',
        'added turns',
        'deleted turns/into',
      ],
    );
    assert.deepEqual(refused, []);
    assert.equal(ignored, 0);
    const { text, cut } = await workspace.diff();
    assert.equal(cut, false);
    assert.match(text, /^diff --git a\/edit\.txt b\/edit\.txt\n/m);
    assert.match(text, /^\+three$/m);
    assert.match(text, /^deleted file mode 100644$/m);
    assert.match(text, /^new mode 100755$/m);
    assert.equal(readFileSync(join(root, 'edit.txt'), 'utf8'), 'one\ntwo\n');
    await workspace.apply();
    assert.deepEqual(look(root), {
      'edit.txt': 'one\ntwo\nthree\n',
      empty: '',
      'keep.txt/inside': 'inside\n',
      link: '->edit.txt',
      'new/er/odd name': 'new\n',
      'private.txt': 'p\nmore\n',
      'run.sh': '#!/bin/sh\n',
      second: '#!/bin/sh\n',
      turns: 'file\n',
    });
    assert.equal(statSync(join(root, 'private.txt')).mode & 0o777, 0o600);
    assert.equal(statSync(join(root, 'run.sh')).mode & 0o777, 0o755);
    assert.equal(existsSync(join(root, 'gone')), false);
  });

  it('leaves the tree alone when nothing is applied', async () => {
    const root = tree({ a: 'a' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(sandbox, 'echo b > a; echo c > c');
    assert.equal((await workspace.changes()).changes.length, 2);
    await workspace.discard();
    assert.deepEqual(look(root), { a: 'a' });
  });

  it('applies nothing if one file was changed meanwhile', async () => {
    const root = tree({ a: 'a', b: 'b', c: 'c' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(sandbox, 'for f in a b c d; do echo new > $f; done');
    writeFileSync(join(root, 'b'), 'by the user');
    writeFileSync(join(root, 'd'), 'by the user');
    assert.deepEqual(await workspace.conflicts(), ['b', 'd']);
    await assert.rejects(
      workspace.apply(),
      (error) => ForgeError.is(error, 'not_allowed') && /b, d/.test(error.message),
    );
    assert.deepEqual(look(root), { a: 'a', b: 'by the user', c: 'c', d: 'by the user' });
  });

  it('takes all back if the last file cannot be put in its place', async () => {
    const root = tree({ a: 'a', 'folder/file': 'x' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(sandbox, 'echo new > a; rm -r folder; echo file > folder; echo z > z');
    // Not of the copy: it stays, so the folder cannot become a file.
    writeFileSync(join(root, 'folder', 'other'), 'by the user');
    await assert.rejects(workspace.apply(), (error) => ForgeError.is(error));
    assert.deepEqual(look(root), { a: 'a', 'folder/file': 'x', 'folder/other': 'by the user' });
  });

  it('brings no link out of the tree, and nothing of git’s own', async () => {
    const root = tree({ a: 'a', 'sub/b': 'b' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(
      sandbox,
      `ln -s /etc/passwd out; ln -s ../../x up; ln -s ../a sub/fine; mkdir -p .git/hooks sub/.GIT
       echo evil > .git/hooks/pre-commit; echo evil > sub/.GIT/config; mkdir '.git '; echo evil > '.git /config'`,
    );
    const { changes, refused } = await workspace.changes();
    assert.deepEqual(
      changes.map(({ path }) => path),
      ['sub/fine'],
    );
    assert.deepEqual(refused.map(({ path }) => path).sort(), [
      '.git /config',
      'out',
      'sub/.GIT/config',
      'up',
    ]);
    await workspace.apply();
    assert.deepEqual(look(root), { a: 'a', 'sub/b': 'b', 'sub/fine': '->../a' });
  });

  it('brings no link out of the tree by way of another link', async () => {
    const root = tree({ a: 'a', 'sub/b': 'b' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(sandbox, 'ln -s . d; ln -s d/d/../../.. out; ln -s ./sub/b fine; ln -s .. sub/up');
    const { changes, refused } = await workspace.changes();
    assert.deepEqual(
      changes.map(({ path }) => path),
      ['d', 'fine', 'sub/up'],
    );
    assert.deepEqual(
      refused.map(({ path }) => path),
      ['out'],
    );
  });

  it('takes a second name of a file of git for a change that is refused, not for a deletion', async () => {
    const about = { mode: 0o644, mtime: 0 };
    const body = [Buffer.from('x')];
    const tar = writeTar([
      { ...about, name: '.git/x', type: 'file', link: '', size: 1, body },
      { ...about, name: 'a', type: 'hardlink', link: '.git/x', size: 0 },
    ]);
    const was = { type: 'file', hash: 'h', executable: false, size: 1 } as const;
    const { changes, refused } = await collectChanges({
      ...{ tar, root: tree({ a: 'a' }), folder: tree({}), before: new Map([['a', was]]) },
      limits: { files: 10, bytes: 100 },
    });
    assert.deepEqual([changes, refused.map(({ path }) => path)], [[], ['a']]);
  });

  it('applies nothing if a file is changed while the changes are staged', async () => {
    const root = tree({ a: 'a' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(sandbox, 'echo new > a');
    const { changes } = await workspace.changes();
    const onStep = (step: string) => {
      if (step === 'staged') writeFileSync(join(root, 'a'), 'mine');
    };
    await assert.rejects(applyChanges({ root, changes, stateFolder, onStep }), (error) =>
      ForgeError.is(error, 'not_allowed'),
    );
    assert.deepEqual(look(root), { a: 'mine' });
  });

  it('writes nothing through a link the user put in the way', async () => {
    const root = tree({ 'sub/b': 'b' });
    const elsewhere = tree({ b: 'b' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(sandbox, 'echo new > sub/b; echo new > sub/c');
    rmSync(join(root, 'sub'), { recursive: true });
    symlinkSync(elsewhere, join(root, 'sub'));
    await assert.rejects(workspace.apply(), (error) => ForgeError.is(error));
    assert.deepEqual(look(elsewhere), { b: 'b' });
  });

  it('copies a git work tree with its changes, and a repository to compare with', async () => {
    const root = tree({
      'a.txt': 'committed\n',
      '.gitignore': 'build/\n*.log\n',
      'build/out': 'x',
      'gone.txt': 'x\n',
    });
    git(root, 'init', '-q');
    git(root, 'add', '.');
    git(root, 'commit', '-qm', 'first');
    git(root, 'config', 'remote.origin.url', 'https://secret-token@example.org/x');
    writeFileSync(join(root, '.git', 'hooks', 'post-checkout'), '#!/bin/sh\ntouch /tmp/pwned\n', {
      mode: 0o755,
    });
    writeFileSync(join(root, 'a.txt'), 'committed\nand changed\n');
    writeFileSync(join(root, 'new.txt'), 'not added\n');
    rmSync(join(root, 'gone.txt'));
    const workspace = await open({
      source: { type: 'git', path: root },
      sandbox: await fresh(),
    });
    assert.equal(
      await sh(sandbox, 'git status --porcelain'),
      ' M a.txt\n D gone.txt\n?? new.txt\n',
    );
    assert.doesNotMatch(
      await sh(sandbox, 'cat .git/config; ls .git/hooks 2>/dev/null || true'),
      /secret|post-checkout/,
    );
    assert.equal(await sh(sandbox, 'git log --oneline | wc -l'), '1\n');
    assert.equal(await sh(sandbox, 'test ! -e build && echo left out'), 'left out\n');
    await sh(
      sandbox,
      'git add -A; git commit -qm inside; mkdir build; echo y > build/out; echo z > debug.log; echo w > w.txt',
    );
    const { changes, refused, ignored } = await workspace.changes();
    assert.deepEqual(
      changes.map(({ path, type }) => `${type} ${path}`),
      ['added w.txt'],
    );
    assert.deepEqual(refused, []);
    assert.equal(ignored, 2);
    await workspace.apply();
    assert.equal(
      git(root, 'status', '--porcelain'),
      ' M a.txt\n D gone.txt\n?? new.txt\n?? w.txt\n',
    );
  });

  it('leaves out what .gitignore says, also where there is no repository', async () => {
    const root = tree({
      '.gitignore': '*.o\n',
      'a.c': 'x',
      'a.o': 'x',
      'sub/b.o': 'x',
      'sub/.gitignore': '!b.o\n',
    });
    await open({
      source: { type: 'folder', path: root, ignore: true },
      sandbox: await fresh(),
    });
    assert.equal(
      await sh(sandbox, 'find . -type f | sort'),
      './.gitignore\n./a.c\n./sub/.gitignore\n./sub/b.o\n',
    );
  });

  it('refuses a tree that is too large', async () => {
    const root = tree({ a: 'aaaa', b: 'bbbb' });
    const source = { type: 'folder', path: root } as const;
    for (const limits of [{ files: 1 }, { bytes: 7 }]) {
      await assert.rejects(open({ source, sandbox: await fresh(), limits }), (error) =>
        ForgeError.is(error, 'too_large'),
      );
    }
  });

  it('follows no link of the source', async () => {
    const root = tree({ out: '->/etc', 'a/b': 'x' });
    await open({ source: { type: 'folder', path: root }, sandbox: await fresh() });
    assert.equal(await sh(sandbox, 'readlink out'), '/etc\n');
  });

  it('hides nothing in its diff, whatever .gitattributes says', async () => {
    const root = tree({ 'a.txt': 'x\n' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(
      sandbox,
      `echo '* -diff' > .gitattributes; echo evil >> a.txt; printf '\\000\\001' > binary`,
    );
    const { text } = await workspace.diff();
    assert.match(text, /^\+evil$/m);
    await sh(sandbox, `echo '* ident' > .gitattributes; echo '$Id: evil $' >> a.txt`);
    await workspace.changes();
    assert.match((await workspace.diff()).text, /^\+\$Id: evil \$$/m);
    assert.match(text, /^Binary files \/dev\/null and b\/binary differ$/m);
  });

  it('cuts a diff that is too long', async () => {
    const root = tree({ a: '' });
    const workspace = await open({
      source: { type: 'folder', path: root },
      sandbox: await fresh(),
    });
    await sh(sandbox, 'seq 1 100000 > a');
    const { text, cut } = await workspace.diff({ cutAt: 1000 });
    assert.equal(cut, true);
    assert.equal(text.length, 1000);
  });

  it('takes no part of a repository for the whole', async () => {
    const root = tree({ 'sub/a': 'x' });
    git(root, 'init', '-q');
    for (const path of [join(root, 'sub'), tree({ a: 'a' })]) {
      await assert.rejects(
        open({ source: { type: 'git', path }, sandbox: await fresh() }),
        (error) => ForgeError.is(error, 'invalid_options') && /top folder/.test(error.message),
      );
    }
    const workspace = await open({ source: { type: 'git', path: root }, sandbox: await fresh() });
    assert.equal(await sh(sandbox, 'cat sub/a; ls -A'), 'xsub\n'); // No commit yet, so no repository.
    assert.deepEqual((await workspace.changes()).changes, []);
  });

  it('names a source that is not there', async () => {
    const source = { type: 'folder', path: '/no/such/folder' } as const;
    await assert.rejects(open({ source, sandbox: await fresh() }), (error) =>
      ForgeError.is(error, 'not_found'),
    );
  });
});
