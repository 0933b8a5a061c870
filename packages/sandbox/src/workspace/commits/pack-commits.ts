import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';
import { packFile } from '../../archive/pack-folder.ts';
import type { WriteEntry } from '../../archive/write-tar.ts';
import type { WorkspaceLimits } from '../read-source.ts';
import type { PrivateGit } from './private-git.ts';

/** Files on the host that hold commits, or trees, with their trees and contents, and nothing of their past. */
export interface PackedCommits {
  /** As entries of an archive, in that folder. */
  entries(folder: string): AsyncGenerator<WriteEntry, void, void>;
  remove(): Promise<void>;
}

/** `too_large` over the limits; `tool_failed` if the repository lacks an object, as partial clones do. */
export async function packCommits(
  git: PrivateGit,
  commits: readonly string[],
  {
    limits,
    signal,
  }: { readonly limits: WorkspaceLimits; readonly signal?: AbortSignal | undefined },
): Promise<PackedCommits> {
  const list = ['rev-list', '--objects', '--no-walk=unsorted', ...new Set(commits)];
  const { output } = await git.run({ args: list, signal });
  const folder = await mkdtemp(join(git.folder, 'pack-'));
  // What is packed already is copied; looking for better deltas is not worth its time here.
  const pack = [
    'pack-objects',
    '-q',
    '--window=0',
    '--compression=1',
    '--delta-base-offset',
    join(folder, 'pack'),
  ];
  await git.run({ args: pack, input: output, signal });
  const files = await readdir(folder);
  const sizes = await Promise.all(files.map((file) => stat(join(folder, file))));
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  if (bytes > limits.bytes) {
    throw new ForgeError(
      'too_large',
      `${git.repository.root} takes more than ${limits.bytes} bytes, too much for a sandbox. Raise the limits.`,
    );
  }
  return {
    async *entries(into) {
      for (const file of files) yield* packFile(join(folder, file), `${into}/${file}`);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
