import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { reviewed, workOn } from './repository.ts';

function folder(t: TestContext) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'forge-work-')));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: path,
      encoding: 'utf8',
    }).trim();
  const commit = (text: string) => {
    writeFileSync(join(path, 'a.txt'), text);
    git('add', '-A');
    git('commit', '-q', '-m', text);
    return git('rev-parse', 'HEAD');
  };
  return { path, git, commit };
}

describe('work begins', () => {
  it('with the last commit of a clean tree on a branch', async (t) => {
    const { path, git, commit } = folder(t);
    git('init', '-q');
    const head = commit('one');
    assert.deepEqual(await workOn(path, undefined), { repo: path, commit: head });
  });

  it('not without a repository, and not in one without a commit', async (t) => {
    const { path, git } = folder(t);
    await assert.rejects(workOn(path, undefined), /not in a git repository.*git init/);
    git('init', '-q');
    await assert.rejects(workOn(path, undefined), /no commit yet.*git commit/);
  });

  it('not over changes that would silently be left out', async (t) => {
    const { path, git, commit } = folder(t);
    git('init', '-q');
    const head = commit('one');
    writeFileSync(join(path, 'new.txt'), 'x');
    await assert.rejects(workOn(path, undefined), /not committed \(new\.txt\).*--base HEAD/);
    assert.deepEqual(await workOn(path, 'HEAD'), { repo: path, commit: head });
  });

  it('not on a detached head, unless the commit is named', async (t) => {
    const { path, git, commit } = folder(t);
    git('init', '-q');
    const first = commit('one');
    commit('two');
    git('checkout', '-q', '--detach', first);
    await assert.rejects(workOn(path, undefined), /on no branch.*git switch/);
    assert.deepEqual(await workOn(path, first), { repo: path, commit: first });
  });

  it('not with a commit that is not there', async (t) => {
    const { path, git, commit } = folder(t);
    git('init', '-q');
    commit('one');
    await assert.rejects(workOn(path, 'nowhere'), /nowhere/);
  });
});

describe('a review is of', () => {
  it('a range, all since a commit, or the last commit', async (t) => {
    const { path, git, commit } = folder(t);
    git('init', '-q');
    const [one, two, three] = [commit('one'), commit('two'), commit('three')];
    const range = async (text?: string) => {
      const { base, commit: to } = await reviewed(path, text);
      return [base, to];
    };
    assert.deepEqual(await range(`${one}..${two}`), [one, two]);
    assert.deepEqual(await range(`${one}...${two}`), [one, two]);
    assert.deepEqual(await range(one), [one, three]);
    assert.deepEqual(await range(`${one}..`), [one, three]);
    assert.deepEqual(await range(), [two, three]);
  });
});
