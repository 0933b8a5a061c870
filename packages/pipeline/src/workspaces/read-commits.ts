import { ForgeError } from '@forge/core';
import {
  gitOnRefs,
  namesFrom,
  openRepository,
  type PrivateGit,
  withPrivateGit,
} from '@forge/sandbox';
import { disguisedTexts } from './disguised-texts.ts';

export interface CommitRange {
  /** A folder of the repository. */
  readonly repo: string;
  readonly from: string;
  readonly to: string;
  readonly signal?: AbortSignal;
}

const defaultCut = 1024 * 1024;
const plain = ['--no-color', '--no-ext-diff', '--no-textconv'];

/**
 * What changed between two commits, as `git diff` prints it; binary files are named only, unless
 * they are texts with a zero byte in them. Nothing that
 * the repository configures or its attributes say changes what is shown. Cut at `cutAt` bytes, default
 * 1 MB.
 */
export async function diff(
  range: CommitRange & { readonly cutAt?: number },
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const { from, to, cutAt = defaultCut, signal } = range;
  const args = ['diff-tree', '-r', '-p', ...plain];
  const commits = [hash(from), hash(to)];
  return onObjects(range, async (git) => {
    const all = await git.run({ args: [...args, '--find-renames', ...commits], cutAt, signal });
    const texts = all.cut ? [] : await disguisedTexts(git, { from, to, signal });
    if (texts.length === 0) return { text: all.output.toString('utf8'), cut: all.cut };
    const rest = await git.run({
      args: [...args, '--text', ...commits, '--', ...texts],
      cutAt: Math.max(1, cutAt - all.output.length),
      signal,
    });
    return { text: Buffer.concat([all.output, rest.output]).toString('utf8'), cut: rest.cut };
  });
}

/** The paths that differ between two commits. One that was renamed counts as two. */
export async function changedFiles(range: CommitRange): Promise<readonly string[]> {
  return onObjects(range, (git) => changedPaths(git, range));
}

export async function changedPaths(
  git: PrivateGit,
  { from, to, signal }: Omit<CommitRange, 'repo'>,
): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', hash(from), hash(to)];
  return namesFrom((await git.run({ args, signal })).output);
}

async function onObjects<T>(
  { repo, signal }: Pick<CommitRange, 'repo' | 'signal'>,
  work: (git: PrivateGit) => Promise<T>,
): Promise<T> {
  return withPrivateGit(await openRepository(repo, signal), work);
}

/** The full hash of the commit that a name stands for. `not_found` if it stands for none. */
export async function commitOf(repo: string, ref: string, signal?: AbortSignal): Promise<string> {
  const repository = await openRepository(repo, signal);
  const args = ['rev-parse', '-q', '--verify', '--end-of-options', `${ref}^{commit}`];
  const { output } = await gitOnRefs(repository, { args, codes: [0, 1, 128], signal });
  const commit = output.toString('utf8').trim();
  if (commit === '') {
    throw new ForgeError(
      'not_found',
      `There is no commit ${JSON.stringify(ref)} in ${repository.root}. See \`git log\` and \`git branch\`.`,
    );
  }
  return commit;
}

/** Trees and commits are told by their full hash: anything else could be an option, or move. */
export function hash(text: string): string {
  if (/^[0-9a-f]{40,64}$/.test(text)) return text;
  throw new ForgeError(
    'invalid_options',
    `${JSON.stringify(text.slice(0, 100))} is not the full hash of a commit.`,
  );
}
