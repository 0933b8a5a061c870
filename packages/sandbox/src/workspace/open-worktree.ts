import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';
import { type OwnedFolder, OwnedFolders } from '../owner/owned-folders.ts';
import type { WorkspaceDiff } from './diff-changes.ts';
import { runGit } from './run-git.ts';

export interface OpenWorktree {
  /** A folder of the repository. */
  readonly repository: string;
  /** Made anew, from `base`. */
  readonly branch: string;
  /** A commit. Default: the last one of the repository's current branch. */
  readonly base?: string;
  /** Where the tree is put. Default: the folder for temporary files. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
}

/** A second work tree of a repository, on a branch of its own. */
export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** The commit it began with. */
  readonly base: string;
  /** From the base to what is in the tree now, new files included. Cut at `cutAt` bytes, default 1 MB. */
  diff(options?: { readonly cutAt?: number }): Promise<WorkspaceDiff>;
  /** Removes the tree with all that is not committed. The branch stays, with what is. */
  remove(): Promise<void>;
}

const diffBytes = 1024 * 1024;

/** The file beside a tree that says which repository it belongs to. */
const repositoryFile = 'repository';

/**
 * Opens a work tree of its own on a new branch, **for work you trust**: it shares the repository
 * with the user's tree, its settings and filters too. For anything else, `openWorkspace`.
 */
export async function openWorktree(options: OpenWorktree): Promise<Worktree> {
  const { repository, branch, base = 'HEAD', signal } = options;
  const check = await runGit({
    cwd: repository,
    args: ['check-ref-format', '--branch', branch],
    codes: [0, 128],
    signal,
  });
  if (branch === '' || check.output.toString().trim() !== branch || base.startsWith('-')) {
    throw new ForgeError(
      'invalid_options',
      `"${branch}" from "${base}" is no branch git could make.`,
    );
  }
  const args = ['rev-parse', '--verify', '--end-of-options', `${base}^{commit}`];
  const commit = (await runGit({ cwd: repository, args, signal })).output.toString().trim();
  const folders = worktreeFolders(options.folder);
  const folder = await folders.create();
  const path = join(folder.path, 'tree');
  try {
    await writeFile(join(folder.path, repositoryFile), repository);
    await runGit({
      cwd: repository,
      args: ['worktree', 'add', '-q', '-b', branch, path, commit],
      signal,
    });
  } catch (error) {
    await removeWorktree(folders, folder);
    throw error;
  }
  return {
    path,
    branch,
    base: commit,
    diff: async ({ cutAt = diffBytes } = {}) => {
      // So that new files show; their contents stay unstaged.
      await runGit({ cwd: path, args: ['add', '--intent-to-add', '--all'] });
      const plain = ['--no-color', '--no-ext-diff', '--no-textconv'];
      const { output, cut } = await runGit({ cwd: path, args: ['diff', ...plain, commit], cutAt });
      return { text: output.toString('utf8'), cut };
    },
    remove: () => removeWorktree(folders, folder),
  };
}

/** Removes the trees of processes that died. Says which. */
export async function reapWorktrees(folder?: string): Promise<readonly string[]> {
  const folders = worktreeFolders(folder);
  const removed: string[] = [];
  for (const abandoned of await folders.abandoned()) {
    await removeWorktree(folders, abandoned);
    removed.push(`work tree ${abandoned.path}`);
  }
  return removed;
}

function worktreeFolders(parent: string = tmpdir()): OwnedFolders {
  return new OwnedFolders({ parent, kind: 'forge-worktree' });
}

async function removeWorktree(folders: OwnedFolders, folder: OwnedFolder): Promise<void> {
  const repository = await readFile(join(folder.path, repositoryFile), 'utf8').catch(
    () => undefined,
  );
  await folders.remove(folder);
  // Its repository forgets trees that are not there any more. It may be gone itself.
  if (repository === undefined) return;
  await runGit({ cwd: repository, args: ['worktree', 'prune'] }).catch(() => undefined);
}
