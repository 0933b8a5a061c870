import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onEverySandbox } from '../sandbox-fixtures.test.ts';
import { checkBranchName, checkRevision } from './ref-name.ts';

onEverySandbox('git', (kit) => {
  before(() => kit().inside('git init -q -b main .; mkdir -p plain'));

  it('stages, commits, branches and looks back', async () => {
    const { ok, inside } = kit();
    assert.match(await ok('git_status', {}), /## No commits yet on main/);
    assert.match(await ok('git_commit', { message: 'x' }), /^No staged changes to commit\./);
    await ok('write', { path: 'a.txt', content: 'one\n' });
    assert.match(await ok('git_status', {}), /\?\? a\.txt/);
    assert.equal(
      await ok('git_add', { paths: ['a.txt'] }),
      'Staged. 1 file differs from the last commit.',
    );
    assert.match(await ok('git_diff', { staged: true }), /\+one/);
    assert.match(
      await ok('git_commit', { message: 'First: "quotes" $(id)\n\nBody.' }),
      /^Committed [0-9a-f]+ First: "quotes" \$\(id\)\n1 file changed/,
    );
    assert.equal(await inside('git log -1 --format="%an <%ae>"'), 'Forge <forge@localhost>\n');
    assert.equal(await ok('git_diff', {}), 'No changes found.');
    assert.match(
      await ok('git_create_branch', { branch_name: 'fix/it' }),
      /Created branch fix\/it/,
    );
    await ok('write', { path: 'a.txt', content: 'two\n' });
    assert.match(await ok('git_diff', { base_ref: 'main', path: 'a.txt' }), /-one\n\+two/);
    await ok('git_add', { paths: ['.'] });
    await ok('git_commit', { message: 'Second' });
    assert.match(await ok('git_log', { limit: 1 }), /^[0-9a-f]+ \d{4}-\S+ Forge: Second\n$/);
    assert.match(await ok('git_log', { patch: true, path: 'a.txt' }), /\+two.*First/s);
    assert.match(await ok('git_branches', {}), /\* fix\/it [0-9a-f]+\n {2}main/);
    await ok('git_switch', { branch_name: 'main' });
    assert.equal(await ok('read', { path: 'a.txt' }), 'one\n');
  });

  it('refuses what is no revision, both ways of diff at once, and a NUL', async () => {
    const { fails } = kit();
    for (const base_ref of ['--output=x', 'a..b', '@{-1}', 'x y', '-p']) {
      assert.match(await fails('git_diff', { base_ref }), /is not a revision/, base_ref);
    }
    assert.match(await fails('git_diff', { staged: true, base_ref: 'main' }), /exclude each other/);
    assert.match(await fails('git_commit', { message: 'a\0b' }), /NUL/);
    assert.match(
      await fails('git_create_branch', { branch_name: '--force' }),
      /not a name for a branch/,
    );
    assert.match(await fails('git_switch', { branch_name: 'nowhere' }), /git checkout failed/);
  });

  it('runs nothing that a repository plants', async () => {
    const { ok, call, inside } = kit();
    await inside(`
      git init -q -b main bad; cd bad
      echo x >f; git add f; git -c user.name=a -c user.email=a@b commit -qm one
      for hook in pre-commit commit-msg post-commit post-checkout post-index-change reference-transaction; do
        printf '#!/bin/sh\\ntouch %s/PWNED-hook\\n' "$PWD" >.git/hooks/$hook; chmod +x .git/hooks/$hook
      done
      evil() { printf 'touch %s/PWNED-%s; cat' "$PWD" "$1"; }
      git config core.fsmonitor "$(evil fsmonitor)"
      git config core.pager "$(evil pager)"
      git config core.editor "$(evil editor)"
      git config core.sshCommand "$(evil ssh)"
      git config core.hooksPath "$PWD/.git/hooks"
      git config diff.external "$(evil external)"
      git config diff.evil.command "$(evil command)"
      git config diff.evil.textconv "$(evil textconv)"
      git config filter.evil.clean "$(evil clean)"
      git config filter.evil.smudge "$(evil smudge)"
      git config filter.pro.cess.process "$(evil process)"
      git config filter.evil.required true
      git config gpg.program "$(evil gpg)"
      git config commit.gpgSign true
      git config log.showSignature true
      git config alias.status "!$(evil alias)"
      printf '* filter=evil diff=evil\\n*.p filter=pro.cess\\n' >.gitattributes
      echo y >f; echo z >g.p`);
    await ok('git_status', { repo: 'bad' });
    await ok('git_diff', { repo: 'bad' });
    assert.match(
      await ok('git_add', { repo: 'bad', paths: ['.'] }),
      /filters of this repository are switched off: .*\]\nevil$/,
    );
    await ok('git_diff', { repo: 'bad', staged: true });
    await ok('git_commit', { repo: 'bad', message: 'two' });
    await ok('git_log', { repo: 'bad', patch: true });
    await ok('git_create_branch', { repo: 'bad', branch_name: 'b', base_ref: 'HEAD~1' });
    await ok('git_switch', { repo: 'bad', branch_name: 'main' });
    await ok('git_branches', { repo: 'bad' });
    await call('git_diff', { repo: 'bad', base_ref: 'HEAD~1' });
    assert.equal(await inside('ls bad | grep PWNED || echo none'), 'none\n');
    assert.equal(await inside('cat bad/f'), 'y\n');
  });

  it('runs nothing that a submodule plants, however it is named', async () => {
    const { ok, inside } = kit();
    await inside(`
      git init -q -b main outer; cd outer
      me='-c user.name=a -c user.email=a@b'
      sub=$(printf 'a\\nb')
      for folder in sub "$sub" sub/deep; do
        git init -q -b main "$folder"
        echo x >"$folder/f"; echo '* filter=evil' >"$folder/.gitattributes"
        git -C "$folder" add f .gitattributes; git -C "$folder" $me commit -qm one
      done
      git -C sub add deep 2>/dev/null; git -C sub $me commit -qm two
      git add . 2>/dev/null; git $me commit -qm one
      for folder in sub "$sub" sub/deep; do
        git -C "$folder" config filter.evil.clean "touch $PWD/PWNED-clean; cat"
        git -C "$folder" config core.fsmonitor "touch $PWD/PWNED-fsmonitor; cat"
        echo y >"$folder/f"
      done`);
    assert.match(await ok('git_status', { repo: 'outer' }), / m sub/);
    await ok('git_diff', { repo: 'outer' });
    await ok('git_diff', { repo: 'outer', base_ref: 'HEAD' });
    await ok('git_add', { repo: 'outer', paths: ['.'] });
    assert.equal(await inside('ls outer | grep PWNED || echo none'), 'none\n');
  });

  it('looks neither above the workspace nor at files outside', async () => {
    const { call, fails, inside } = kit();
    await inside('git init -q out; git -C out config core.worktree /etc');
    assert.match(await fails('git_status', { repo: 'out' }), /leads out of the workspace/);
    await inside('mv .git .kept');
    try {
      const { outcome, text } = await call('git_status', {});
      assert.equal(outcome, 'not_found', text);
      assert.match(text, /no git repository in the workspace/);
    } finally {
      await inside('mv .kept .git');
    }
  });
});

describe('names of git', () => {
  it('are taken or refused as git does', () => {
    for (const name of ['main', 'fix/a-b_c', 'v1.2', 'a/b/c'])
      assert.equal(checkBranchName(name), name);
    for (const name of [
      '',
      '-x',
      'a..b',
      'a b',
      'a~1',
      'x.lock',
      'a//b',
      'a/',
      '.a',
      'a/.b',
      'HEAD',
      'a@{b',
      'é\n',
    ]) {
      assert.throws(() => checkBranchName(name), /not a name/, name);
    }
    for (const name of ['HEAD~1', 'main^', 'origin/main']) assert.equal(checkRevision(name), name);
  });
});
