import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { createBubblewrapBackend } from '../../bubblewrap/create-bubblewrap-backend.ts';
import { createProcessBackend } from '../../process/create-process-backend.ts';
import type { SandboxBackend } from '../../sandbox.ts';
import { type OpenTree, openTree } from './open-tree.ts';
import { openPrivateGit, type PrivateGit } from './private-git.ts';
import { openRepository } from './repository.ts';
import { folderWith, git, inside, repositoryWith } from './tree-fixtures.test.ts';

const backends: Readonly<Record<string, SandboxBackend>> = {
  process: createProcessBackend({ trusted: true }),
  bubblewrap: createBubblewrapBackend(),
};
const cleanups: (() => unknown)[] = [];
const gits: PrivateGit[] = [];

after(async () => {
  for (const backend of Object.values(backends)) await backend.close();
  for (const each of gits) await each.close();
  for (const cleanup of cleanups) cleanup();
});

function made<T extends { remove(): void }>(thing: T): T {
  cleanups.push(() => thing.remove());
  return thing;
}

for (const [name, backend] of Object.entries(backends)) {
  async function open(root: string, start: string, more: Partial<OpenTree> = {}) {
    const privateGit = await openPrivateGit(await openRepository(root));
    gits.push(privateGit);
    const sandbox = await backend.start();
    const opened = await openTree({ sandbox, git: privateGit, start, from: start, ...more });
    return { ...opened, sandbox, sh: (script: string) => inside(sandbox, script) };
  }
  const listing = (root: string, tree: string) =>
    git(root, 'ls-tree', '-r', '--name-only', tree).split('\n');

  describe(`a commit in a sandbox (${name})`, () => {
    it('shows its files, and its repository as git status, diff and log want it', async () => {
      const { root, head } = made(
        repositoryWith({
          'a.txt': 'one\n',
          'b/c.sh': '#!/bin/sh\n',
          link: '->a.txt',
          '.gitignore': '*.log\n',
        }),
      );
      chmodSync(join(root, 'b/c.sh'), 0o755);
      git(root, 'commit', '-qam', 'Two');
      const two = git(root, 'rev-parse', 'HEAD');
      assert.notEqual(two, head);
      const { sh, leftOut } = await open(root, two);
      assert.equal(await sh('git status --porcelain; git log --format=%s'), 'Two\n');
      assert.equal(
        await sh('cat link; test -x b/c.sh; ls -A'),
        'one\n.git\n.gitignore\na.txt\nb\nlink\n',
      );
      await sh('echo two >> a.txt');
      assert.match(await sh('git diff'), /^\+two$/m);
      assert.deepEqual(leftOut, { submodules: [], largeFiles: false });
      assert.equal(await sh('git remote; ls .git/hooks 2>/dev/null || true'), '');
    });

    it('is kept as a tree of the repository, with all that changed and nothing that is ignored', async () => {
      const { root, head } = made(
        repositoryWith({
          keep: 'k\n',
          edit: 'one\n',
          'gone/deep': 'x',
          'turns/into': 'y',
          '.gitignore': '*.log\nout/\n',
        }),
      );
      const { tree, sh } = await open(root, head);
      const first = await tree.keep();
      assert.equal(first.tree, git(root, 'rev-parse', 'HEAD^{tree}'));
      await sh(`echo two >> edit; rm -r gone turns; echo f > turns; printf '\\000\\377' > binary; : > empty
        ln -s keep link; mkdir -p new/er out none; echo n > 'new/er/odd name'; echo l > a.log; echo o > out/o
        chmod +x keep`);
      const { tree: kept, refused, complaint } = await tree.keep();
      assert.deepEqual([refused, complaint], [[], '']);
      assert.deepEqual(git(root, 'diff-tree', '-r', '--name-status', head, kept).split('\n'), [
        'A\tbinary',
        'M\tedit',
        'A\tempty',
        'D\tgone/deep',
        'M\tkeep',
        'A\tlink',
        'A\tnew/er/odd name',
        'A\tturns',
        'D\tturns/into',
      ]);
      assert.equal(git(root, 'show', `${kept}:edit`), 'one\ntwo');
      assert.equal((await tree.keep()).tree, kept);
    });

    it('keeps every byte, whatever attributes and filters a tree asks for', async () => {
      const attributes =
        '*.txt text eol=crlf\n*.id ident\n*.f filter=evil\n*.u working-tree-encoding=ISO-8859-1\n* -diff\n';
      const files = { '.gitattributes': attributes, 'x.u': 'plain\n' };
      const { root } = made(repositoryWith({ ...files, 'b.id': '$Id$\n' }));
      git(root, 'config', 'filter.evil.clean', `touch ${root}/PWNED`);
      git(root, 'config', 'filter.evil.smudge', `touch ${root}/PWNED`);
      git(root, 'config', 'core.autocrlf', 'true');
      // As a commit made elsewhere: contents that the attributes would not have let in.
      const blob = git(root, 'hash-object', '-w', '--no-filters', '--', 'x.u');
      git(root, 'update-index', '--add', '--cacheinfo', `100644,${blob},raw.txt`);
      git(root, 'commit', '-qm', 'Two', '--no-verify');
      const two = git(root, 'rev-parse', 'HEAD');
      const { tree, sh } = await open(root, two);
      assert.equal((await tree.keep()).tree, git(root, 'rev-parse', 'HEAD^{tree}'));
      await sh(`printf 'a\\r\\nb\\n' > c.txt; printf '$Id: x $\\n' > b.id; printf 'f\\n' > a.f`);
      const { tree: kept } = await tree.keep();
      const bytes = (path: string) => git(root, 'cat-file', 'blob', `${kept}:${path}`);
      assert.equal(bytes('c.txt'), 'a\r\nb');
      assert.equal(bytes('b.id'), '$Id: x $');
      assert.equal(bytes('a.f'), 'f');
      assert.ok(!readdirSync(root).includes('PWNED'));
    });

    it('takes a repository that is made inside for files like others', async () => {
      const { root, head } = made(repositoryWith({ a: 'a' }));
      const { tree, sh } = await open(root, head);
      await sh(`mkdir -p 'sub dir/deep' plain; cd 'sub dir'; git init -q; echo 1 > one; cd deep; git init -q
        echo 2 > two; git add two; git commit -qm x; cd ../../plain; git init -q --bare .`);
      const first = listing(root, (await tree.keep()).tree);
      assert.deepEqual(
        first.filter((path) => !path.startsWith('plain/')),
        ['a', 'sub dir/deep/two', 'sub dir/one'],
      );
      assert.ok(first.includes('plain/HEAD'));
      await sh(`echo 3 > 'sub dir/deep/three'; rm 'sub dir/one'`);
      const second = listing(root, (await tree.keep()).tree);
      assert.ok(second.includes('sub dir/deep/three') && !second.includes('sub dir/one'));
    });

    it('leaves out names that stand for .git anywhere, and says so', async () => {
      const { root, head } = made(repositoryWith({ a: 'a' }));
      const { tree, sh } = await open(root, head);
      await sh(`mkdir -p s/.GIT 'git~1' '.git '; for f in s/.GIT/config 'git~1/x' '.git /config'; do echo evil > "$f"; done
        echo fine > fine; echo '[core]' >> .git/config; printf '#!/bin/sh\\n' > .git/hooks-are-data`);
      const { tree: kept, refused } = await tree.keep();
      assert.deepEqual(listing(root, kept), ['a', 'fine']);
      assert.deepEqual([...refused].sort(), ['.git /config', 'git~1/x', 's/.GIT/config']);
    });

    it('goes on after its folder of temporary files, or its repository, was cleared away', async () => {
      const { root, head } = made(repositoryWith({ a: 'a' }));
      const { tree, sh } = await open(root, head);
      const temporary = await sh('dirname "$(mktemp -u)"');
      const ours = `${temporary.trim()}/.forge-keep`;
      await sh('echo b > b');
      await tree.keep();
      await sh(`rm -rf ${ours}; echo c > c`);
      assert.deepEqual(listing(root, (await tree.keep()).tree), ['a', 'b', 'c']);
      await sh('rm -rf .git; echo d > d');
      assert.deepEqual(listing(root, (await tree.keep()).tree), ['a', 'b', 'c', 'd']);
      await sh(`printf x > ${ours}/git/index; rm a; : > ${ours}/git/index.lock`);
      assert.deepEqual(listing(root, (await tree.keep()).tree), ['b', 'c', 'd']);
    });

    it('brings out no more than the limits allow, and goes on once there is less', async () => {
      const { root, head } = made(repositoryWith({ a: 'a' }));
      const { tree, sh } = await open(root, head, { lookLimits: { bytes: 500_000, files: 3 } });
      await sh('head -c 600000 /dev/zero > big');
      await assert.rejects(
        tree.keep(),
        (error) =>
          ForgeError.is(error, 'too_large') && /500000 bytes.*\.gitignore/.test(error.message),
      );
      await sh('head -c 400000 /dev/zero > big');
      const { tree: kept } = await tree.keep();
      assert.equal(git(root, 'cat-file', '-s', `${kept}:big`), '400000');
      await sh('for n in 1 2 3 4; do echo $n > $n; done');
      await assert.rejects(tree.keep(), (error) => ForgeError.is(error, 'too_large'));
    });

    it('says which files it could not read', async () => {
      const { root, head } = made(repositoryWith({ a: 'a' }));
      const { tree, sh } = await open(root, head);
      // Who may read everything cannot be refused: then the file is kept.
      const mayAll = (await sh('echo x > shut; chmod 0 shut; cat shut 2>/dev/null || true')) !== '';
      if (mayAll) return assert.deepEqual(listing(root, (await tree.keep()).tree), ['a', 'shut']);
      await assert.rejects(
        tree.keep(),
        (error) =>
          ForgeError.is(error, 'tool_failed') &&
          /\(shut\)\. Make them readable/.test(error.message),
      );
      await sh('chmod 644 shut');
      assert.deepEqual(listing(root, (await tree.keep()).tree), ['a', 'shut']);
    });

    it('has submodules as empty folders and large files as pointers, keeps both, and says so', async () => {
      const other = made(repositoryWith({ x: 'x' }));
      const { root } = made(
        repositoryWith({
          '.gitattributes': '*.bin filter=lfs diff=lfs\n',
          'a.bin': 'version https://git-lfs\n',
        }),
      );
      git(root, 'submodule', 'add', '-q', other.root, 'mod');
      git(root, 'commit', '-qm', 'Two');
      const { tree, sh, leftOut } = await open(root, git(root, 'rev-parse', 'HEAD'));
      assert.deepEqual(leftOut, { submodules: ['mod'], largeFiles: true });
      assert.equal(await sh('ls -A mod; cat a.bin'), 'version https://git-lfs\n');
      assert.equal((await tree.keep()).tree, git(root, 'rev-parse', 'HEAD^{tree}'));
      await sh('rmdir mod');
      assert.doesNotMatch(git(root, 'ls-tree', (await tree.keep()).tree), /160000/);
    });

    it('works with SHA-256 and with shallow repositories', async () => {
      const long = made(repositoryWith({ a: 'a' }, ['--object-format=sha256']));
      const first = await open(long.root, long.head);
      await first.sh('echo b > b; git add b; git commit -qm inside');
      assert.deepEqual(listing(long.root, (await first.tree.keep()).tree), ['a', 'b']);
      const full = made(repositoryWith({ a: 'a' }));
      git(full.root, 'commit', '-q', '--allow-empty', '-m', 'Two');
      const target = made({ root: folderWith({}), remove: () => undefined });
      cleanups.push(() => rmSync(target.root, { recursive: true, force: true }));
      git(target.root, 'clone', '-q', '--depth=1', `file://${full.root}`, 'shallow');
      const root = join(target.root, 'shallow');
      const second = await open(root, git(root, 'rev-parse', 'HEAD'));
      await second.sh('echo b > b');
      assert.deepEqual(listing(root, (await second.tree.keep()).tree), ['a', 'b']);
    });
  });
}

describe('a sandbox without git', () => {
  it('is refused with what to do', async () => {
    const path = folderWith({});
    cleanups.push(() => rmSync(path, { recursive: true, force: true }));
    symlinkSync('/bin/sh', join(path, 'sh'));
    const bare = createProcessBackend({ trusted: true, path });
    const { root, head } = made(repositoryWith({ a: 'a' }));
    const privateGit = await openPrivateGit(await openRepository(root));
    gits.push(privateGit);
    const sandbox = await bare.start();
    try {
      await assert.rejects(
        openTree({ sandbox, git: privateGit, start: head, from: head }),
        (error) =>
          ForgeError.is(error, 'sandbox_failed') &&
          /git is not in this sandbox.*forge sandbox build/.test(error.message),
      );
    } finally {
      await bare.close();
    }
  });
});

describe('git over the objects of a repository', () => {
  it('reads none of its settings, runs nothing of it, and leaves all but objects as it was', async () => {
    const { root, head } = made(repositoryWith({ a: 'a' }));
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit']) {
      writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\ntouch ${root}/PWNED\n`, {
        mode: 0o755,
      });
    }
    git(root, 'config', 'core.hooksPath', join(root, '.git/hooks'));
    const before = readFileSync(join(root, '.git/index'));
    const entries = () => readdirSync(join(root, '.git')).sort();
    const there = entries();
    const privateGit = await openPrivateGit(await openRepository(root));
    gits.push(privateGit);
    await privateGit.run({ args: ['read-tree', head] });
    assert.equal(
      await privateGit.text({ args: ['config', '--get', 'core.hooksPath'] }),
      '/dev/null',
    );
    assert.match(await privateGit.text({ args: ['write-tree'] }), /^[0-9a-f]{40}$/);
    assert.deepEqual(readFileSync(join(root, '.git/index')), before);
    assert.deepEqual(entries(), there);
    assert.ok(!readdirSync(root).includes('PWNED'));
  });

  it('says of a folder that is in no repository what to do', async () => {
    const folder = folderWith({});
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    await assert.rejects(
      openRepository(folder),
      (error) =>
        ForgeError.is(error, 'invalid_options') && /git init && git add -A/.test(error.message),
    );
    await assert.rejects(openRepository(join(folder, 'no')), (error) =>
      ForgeError.is(error, 'not_found'),
    );
  });
});
