import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { ForgeError } from '@forge/core';
import { packFolder, packNames } from '../archive/pack-folder.ts';
import type { WriteEntry } from '../archive/write-tar.ts';
import { namesFrom, runGit } from './run-git.ts';
import { shallowRepository } from './shallow-repository.ts';
import type { FileState } from './tree-state.ts';
import { workspaceFolders } from './workspace-folders.ts';
import { refusalOf } from './workspace-path.ts';

/** What a workspace is a copy of. */
export type WorkspaceSource =
  | {
      readonly type: 'folder';
      readonly path: string;
      /** Leaves out what .gitignore files say. Default false. */
      readonly ignore?: boolean;
    }
  /**
   * The work tree of a git repository as it is now, changes that are not committed and new files
   * included, ignored ones not. Comes with a repository of its own that holds the last commit, so
   * that `git diff` works inside; nothing of the user's own (settings, hooks, remotes) is in it.
   */
  | { readonly type: 'git'; readonly path: string };

export interface WorkspaceLimits {
  readonly files: number;
  readonly bytes: number;
}

export const defaultWorkspaceLimits: WorkspaceLimits = { files: 200_000, bytes: 2 * 1024 ** 3 };

/** The real folder of a source. */
export async function sourceRoot(source: WorkspaceSource): Promise<string> {
  const root = await realpath(source.path).catch(() => undefined);
  const about = root === undefined ? undefined : await stat(root);
  if (root === undefined || !about?.isDirectory()) {
    throw new ForgeError('not_found', `There is no folder ${source.path}.`);
  }
  return root;
}

/** The entries of a source, each noted in `state` once it has been read to its end. */
export async function* readSource(options: {
  readonly source: WorkspaceSource;
  readonly root: string;
  readonly limits: WorkspaceLimits;
  readonly state: Map<string, FileState>;
  readonly signal?: AbortSignal | undefined;
}): AsyncGenerator<WriteEntry, void, void> {
  const { source, root, limits, state, signal } = options;
  let files = 0;
  let bytes = 0;
  for await (const entry of entriesOf(source, root, signal)) {
    signal?.throwIfAborted();
    files += 1;
    bytes += entry.size;
    if (files > limits.files || bytes > limits.bytes) {
      throw new ForgeError(
        'too_large',
        `${root} has more than ${limits.files} files or ${limits.bytes} bytes. Leave out what is not needed (a .gitignore file, with ignore: true), or raise the limits.`,
      );
    }
    if (entry.type === 'symlink') state.set(entry.name, { type: 'symlink', link: entry.link });
    yield entry.type === 'file' ? noted(entry, state) : entry;
  }
  if (source.type === 'git') yield* shallowRepository(root, signal);
}

function noted(entry: WriteEntry, state: Map<string, FileState>): WriteEntry {
  const { name, mode, size } = entry;
  const body = (async function* () {
    const hash = createHash('sha256');
    for await (const part of entry.body ?? []) {
      hash.update(part);
      yield part;
    }
    const executable = (mode & 0o100) !== 0;
    state.set(name, { type: 'file', hash: hash.digest('hex'), executable, size });
  })();
  return { ...entry, body };
}

async function* entriesOf(
  source: WorkspaceSource,
  root: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<WriteEntry, void, void> {
  if (source.type === 'folder' && source.ignore !== true) {
    yield* packFolder(root, { keep: (name) => refusalOf(name) === undefined });
    return;
  }
  const names =
    source.type === 'git' ? await workTreeNames(root, signal) : await unignoredNames(root, signal);
  yield* packNames(root, names.filter((name) => refusalOf(name) === undefined).sort());
}

async function workTreeNames(cwd: string, signal: AbortSignal | undefined): Promise<string[]> {
  const top = await runGit({
    cwd,
    args: ['rev-parse', '--show-toplevel'],
    codes: [0, 128],
    signal,
  });
  if (top.output.toString().replace(/\n$/, '') !== cwd) {
    throw new ForgeError(
      'invalid_options',
      `${cwd} is not the top folder of a git work tree. Give that, or the source { type: 'folder' }.`,
    );
  }
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  return namesFrom((await runGit({ cwd, args, signal })).output);
}

/** What git would see in a folder that need not be a repository, by way of an empty one. */
async function unignoredNames(root: string, signal: AbortSignal | undefined): Promise<string[]> {
  const folders = workspaceFolders();
  const empty = await folders.create();
  try {
    await runGit({ cwd: empty.path, args: ['init', '-q', '--bare', '--template=', '.'], signal });
    const where = [`--git-dir=${empty.path}`, `--work-tree=${root}`];
    const args = [...where, 'ls-files', '-z', '--others', '--exclude-standard'];
    return namesFrom((await runGit({ cwd: root, args, signal })).output);
  } finally {
    await folders.remove(empty);
  }
}
