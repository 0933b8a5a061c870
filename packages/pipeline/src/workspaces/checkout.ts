import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import {
  openRepository,
  type PrivateGit,
  readBatch,
  staysInside,
  withPrivateGit,
} from '@forge/sandbox';
import { hash } from './read-commits.ts';

/**
 * Makes a folder with the files of a commit: no `.git`, contents as they are in the commit whatever
 * filters the repository has, folders of submodules empty. Whole or not at all. `not_allowed` if a
 * link in it leads out of it, `already_exists` if the folder is there and has something in it.
 */
export async function checkout(options: {
  /** A folder of the repository. */
  readonly repo: string;
  readonly commit: string;
  readonly folder: string;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const { signal } = options;
  const commit = hash(options.commit);
  const repository = await openRepository(options.repo, signal);
  await withPrivateGit(repository, async (git) => {
    await refuseLinksOut(git, commit, signal);
    const folder = resolve(options.folder);
    await mkdir(dirname(folder), { recursive: true });
    const draft = await mkdtemp(`${folder}.draft-`);
    try {
      const env = { GIT_WORK_TREE: draft };
      await git.run({ args: ['read-tree', commit], signal });
      await git.run({ args: ['checkout-index', '--all', '--quiet'], env, signal });
      await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOTDIR') {
          throw error;
        }
        throw new ForgeError('already_exists', `${folder} is there already.`, { cause: error });
      });
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
  });
}

async function refuseLinksOut(
  git: PrivateGit,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { output } = await git.run({ args: ['ls-tree', '-r', '-z', commit], signal });
  const links = output
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry.startsWith('120000 '))
    .map((entry) => ({
      object: entry.split(/[ \t]/, 3)[2] ?? '',
      path: entry.slice(entry.indexOf('\t') + 1),
    }));
  if (links.length === 0) return;
  const input = links.map(({ object }) => `${object}\n`).join('');
  const read = await git.run({ args: ['cat-file', '--batch', '--buffer'], input, signal });
  const targets = readBatch(read.output);
  const out = links
    .filter(({ object, path }) => !staysInside(path, targets.get(object)?.toString('utf8') ?? '/'))
    .map(({ path }) => path);
  if (out.length === 0) return;
  throw new ForgeError(
    'not_allowed',
    `Links in commit ${commit.slice(0, 12)} lead out of it (${out.slice(0, 5).join(', ')}). Make them relative, to something in the repository, or remove them.`,
  );
}
