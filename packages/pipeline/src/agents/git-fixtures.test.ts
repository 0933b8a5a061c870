import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { ForgeError, type Tool } from '@forge/core';
import type { Sandbox, SandboxBackend } from '@forge/sandbox';
import type { Merge } from '../contracts.ts';
import type { Kept, WorkspacePort } from './ports.ts';

export type Files = Readonly<Record<string, string>>;

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};

/** Real git, with an identity and a date of the tests' own. */
export function git(cwd: string, args: readonly string[], index?: string): string {
  const env = { ...environment, ...(index !== undefined && { GIT_INDEX_FILE: index }) };
  const maxBuffer = 64 * 1024 * 1024;
  return execFileSync('git', args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer,
  }).trimEnd();
}

export async function makeFolder(files: Files = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-agents-'));
  await writeFiles(folder, files);
  return folder;
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** A repository with these files in its one commit. */
export async function makeRepository(files: Files): Promise<{ repo: string; base: string }> {
  const repo = await makeFolder(files);
  git(repo, ['init', '--quiet', '--initial-branch=main']);
  git(repo, ['add', '--all']);
  git(repo, ['commit', '--quiet', '--message', 'Begin']);
  return { repo, base: git(repo, ['rev-parse', 'HEAD']) };
}

/** A commit on another; the work tree and its index are not touched. */
export async function commitOn(repo: string, parent: string, files: Files): Promise<string> {
  return inScratch(repo, (tree, index) => {
    git(tree, ['read-tree', parent], index);
    git(tree, ['checkout-index', '--all'], index);
    return writeFiles(tree, files);
  }).then((made) => git(repo, ['commit-tree', made, '-p', parent, '-m', 'Change']));
}

/** The tree that a folder filled by `fill` makes. */
async function inScratch(
  repo: string,
  fill: (tree: string, index: string) => Promise<void>,
): Promise<string> {
  const scratch = await makeFolder({ 'tree/.keep': '' });
  const tree = join(scratch, 'tree');
  await rm(join(tree, '.keep'));
  await writeFile(join(tree, '.git'), `gitdir: ${join(repo, '.git')}\n`);
  const index = join(scratch, 'index');
  try {
    await fill(tree, index);
    git(tree, ['--work-tree=.', 'add', '--all'], index);
    return git(tree, ['write-tree'], index);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/**
 * The trees of runs in sandboxes of a real backend, over a real repository: as much of it as the
 * agents need, without what makes it quick and safe.
 */
export function plainWorkspace({
  repo,
  backend,
}: {
  readonly repo: string;
  readonly backend: SandboxBackend;
}): WorkspacePort & { begin(runId: string, commit: string): void } {
  const bases = new Map<string, string>();
  const sandboxes = new Map<string, Promise<Sandbox>>();
  const baseOf = (runId: string): string => {
    const base = bases.get(runId);
    if (base === undefined) throw new ForgeError('not_found', `Run ${runId} has no tree.`);
    return base;
  };
  const open = async (runId: string): Promise<Sandbox> => {
    const sandbox = await backend.start();
    const archive = execFileSync('git', ['archive', baseOf(runId)], {
      cwd: repo,
      env: environment,
    });
    await sandbox.copyIn('.', Readable.from([archive], { objectMode: false }));
    const script = 'git init -q && git add -A && git commit -qm start';
    await sandbox.exec({ argv: ['sh', '-c', script], env: environment }).result;
    return sandbox;
  };
  const sandboxOf = ({ runId }: { readonly runId: string }): Promise<Sandbox> => {
    const opened = sandboxes.get(runId) ?? open(runId);
    sandboxes.set(runId, opened);
    return opened;
  };
  const names = (args: readonly string[]) =>
    git(repo, ['diff', '--name-only', '-z', ...args])
      .split('\0')
      .filter((name) => name !== '');
  const keep = async (runId: string, message: string): Promise<Kept> => {
    const base = baseOf(runId);
    const sandbox = await sandboxOf({ runId });
    const tree = await inScratch(repo, async (folder) => {
      const input = Buffer.concat(await (await sandbox.copyOut('.')).toArray());
      const options = ['--no-same-owner', '--exclude=./.git', '--exclude=.git'];
      execFileSync('tar', ['-x', ...options, '-C', folder], { input });
    });
    const commit = git(repo, ['commit-tree', tree, '-p', base, '-m', message]);
    return { commit, tree, files: names([base, tree]) };
  };
  return {
    begin: (runId, commit) => {
      bases.set(runId, commit);
    },
    sandboxOf,
    keep,
    commit: keep,
    checkpointed: (tools: readonly Tool[]) => tools,
    repoOf: async (runId) => ({ path: repo, base: baseOf(runId) }),
    diff: async ({ from, to, cutAt }) => {
      const text = git(repo, ['diff', from, to]);
      return { text: text.slice(0, cutAt), cut: text.length > cutAt };
    },
    changedFiles: async ({ from, to }) => names([from, to]),
    mergeCommits: async ({ base, commits }): Promise<Merge> => {
      let commit = base;
      for (const next of commits) {
        try {
          const tree = git(repo, ['merge-tree', '--write-tree', commit, next.commit]);
          const parents = ['-p', commit, '-p', next.commit];
          commit = git(repo, ['commit-tree', tree, ...parents, '-m', `Merge ${next.id}`]);
        } catch {
          const problem = 'Both sides changed the same lines.';
          const conflict = { commit: next.commit, task: next.id, files: ['a.txt'], problem };
          return { status: 'conflict', commit, conflict };
        }
      }
      return { status: 'merged', commit };
    },
    makeBranch: async ({ name, commit }) => {
      git(repo, ['branch', name, commit]);
      return name;
    },
    slugFor: (request) =>
      request
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .slice(0, 40),
  };
}
