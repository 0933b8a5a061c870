import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type JsonValue, type ToolContext, userMessage } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import { openSqliteStore, type Store } from '@forge/store';

export type Files = Readonly<Record<string, string>>;

/** Git as a user has it, with an identity of the tests' own. */
export function git(cwd: string, ...args: string[]): string {
  const settings = ['user.name=User', 'user.email=user@example.org', 'protocol.file.allow=always'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  return execFileSync('git', [...options, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

/** A place for the files of one test suite, removed at its end. */
export class Ground {
  readonly folder = mkdtempSync(join(tmpdir(), 'forge-workspaces-'));
  #count = 0;

  folderWith(files: Files): string {
    this.#count += 1;
    const root = join(this.folder, String(this.#count));
    mkdirSync(root);
    write(root, files);
    return root;
  }

  /** A repository with these files in one commit, on main. */
  repository(files: Files): { readonly repo: string; readonly head: string } {
    const repo = this.folderWith(files);
    git(repo, 'init', '-q', '-b', 'main');
    git(repo, 'add', '-A');
    git(repo, 'commit', '-qm', 'One');
    return { repo, head: git(repo, 'rev-parse', 'HEAD') };
  }

  store(): Promise<Store> {
    return openSqliteStore({ file: join(this.folder, 'forge.db'), synchronous: 'normal' });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function write(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** A commit on another, with these files changed; null removes one. The work tree is not touched. */
export function commitOn(
  repo: string,
  parent: string,
  files: Readonly<Record<string, string | null>>,
): string {
  const index = join(repo, '.git', 'test-index');
  const env = { ...environment, GIT_INDEX_FILE: index };
  const run = (args: readonly string[], input = '') =>
    execFileSync('git', args, { cwd: repo, env, input, encoding: 'utf8' }).trim();
  run(['read-tree', parent]);
  for (const [path, content] of Object.entries(files)) {
    if (content === null) run(['update-index', '--force-remove', path]);
    else {
      const blob = run(['hash-object', '-w', '--stdin'], content);
      run(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
    }
  }
  const tree = run(['write-tree']);
  rmSync(index);
  return run(['commit-tree', tree, '-p', parent, '-m', `Change ${Object.keys(files).join(' ')}`]);
}

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_AUTHOR_NAME: 'User',
  GIT_AUTHOR_EMAIL: 'user@example.org',
  GIT_COMMITTER_NAME: 'User',
  GIT_COMMITTER_EMAIL: 'user@example.org',
};

/** A run on a repository, with a first event that says what it was given. */
export async function startRun(
  store: Store,
  run: {
    readonly id: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly input?: JsonValue;
  },
): Promise<void> {
  const { id, labels, input } = run;
  await store.createRun({ id, agent: 'coder', labels });
  if (input === undefined) return;
  const [lease] = await store.claim({ owner: 'test', ttl: 60_000, limit: 1, runId: id });
  assert.ok(lease);
  await store.append({
    runId: id,
    fence: lease.fence,
    expectedSeq: 0,
    at: 0,
    happenings: [
      {
        type: 'run.started',
        agent: 'coder',
        history: [],
        input: [userMessage(typeof input === 'string' ? input : JSON.stringify(input))],
        budget: 1_000,
        budgetSource: 'test',
        reasoningReplay: 'none',
      },
    ],
  });
}

/** Runs a script inside, which has to succeed. */
export async function inside(sandbox: Sandbox, script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await sandbox.exec({ argv: ['sh', '-c', script] }).result;
  assert.equal(exitCode, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

export function contextOf(
  runId: string,
  signal: AbortSignal = new AbortController().signal,
): ToolContext {
  return { runId, callId: 'call', idempotencyKey: 'key', signal };
}

/** All that is the user's own in a repository: files, index, HEAD, branches, stash, hooks, settings. */
export function usersOwn(repo: string): string {
  const script = `git ls-files -s; git status --porcelain; cat .git/HEAD; git for-each-ref refs/heads refs/tags refs/stash
    cat .git/config; find .git/hooks .git/index .git/logs/HEAD .git/logs/refs/heads -type f -printf '%p %s %T@\\n' | sort; find . -path ./.git -prune -o -type f -exec md5sum {} + | sort`;
  const env = { PATH: '/usr/bin:/bin', GIT_OPTIONAL_LOCKS: '0' };
  return execFileSync('sh', ['-c', script], { cwd: repo, env, encoding: 'utf8' });
}
