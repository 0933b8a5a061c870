import { ForgeError } from '@forge/core';
import { openRepository, type PrivateGit, withPrivateGit } from '@forge/sandbox';
import type { Merge } from '../contracts.ts';
import { hash } from './read-commits.ts';
import { type Identity, messageFor, writeCommit } from './write-commit.ts';

export interface MergeCommits {
  /** A folder of the repository. */
  readonly repo: string;
  /** What all of them began with, and the result if there are none. */
  readonly base: string;
  /** In the order they are merged; `id` is how they are spoken of. */
  readonly commits: readonly { readonly id: string; readonly commit: string }[];
  readonly message: string;
  readonly identity: Identity;
  readonly signal?: AbortSignal | undefined;
}

/** Of the places that do not fit, shown to whoever has to mend it. */
const shownBytes = 8_000;

/**
 * Merges commits in order, without a work tree: no filter, driver, hook or recorded resolution of the
 * repository has a part in it. Stops at the first that does not fit, and says where. What a commit
 * already holds is not merged again, so that one commit alone comes out as it is. The same commits
 * always give the same result: the date is that of the latest of them.
 */
export async function mergeCommits(options: MergeCommits): Promise<Merge> {
  const { base, commits, signal } = options;
  const repository = await openRepository(options.repo, signal);
  return withPrivateGit(repository, async (git) => {
    let merged = hash(base);
    for (const { id, commit } of commits) {
      const step = await mergeOne({ ...options, git, merged, id, commit: hash(commit) });
      if ('conflict' in step)
        return { status: 'conflict', commit: merged, conflict: step.conflict };
      merged = step.commit;
    }
    return { status: 'merged', commit: merged };
  });
}

type Step = { readonly commit: string } | { readonly conflict: NonNullable<Merge['conflict']> };

async function mergeOne(
  options: MergeCommits & {
    readonly git: PrivateGit;
    readonly merged: string;
    readonly id: string;
    readonly commit: string;
  },
): Promise<Step> {
  const { git, merged, id, commit, message, identity, signal } = options;
  if (await isAncestor(git, { old: commit, later: merged, signal })) return { commit: merged };
  if (await isAncestor(git, { old: merged, later: commit, signal })) return { commit };
  const args = ['merge-tree', '--write-tree', '-z', '--messages', merged, commit];
  const { output, code } = await git.run({ args, codes: [0, 1, 129], signal });
  if (code === 129) throw await tooOld(git);
  const [tree = '', ...rest] = output.toString('utf8').split('\0');
  if (code === 0) {
    const dates = await git.text({ args: ['show', '-s', '--format=%ct', merged, commit], signal });
    const at = Math.max(...dates.split('\n').map(Number)) * 1000;
    const said = `${messageFor(message)}\nMerged: ${id}`;
    const parents = [merged, commit];
    return {
      commit: await writeCommit(git, { tree, parents, message: said, identity, at, signal }),
    };
  }
  const files = [...new Set(conflictingFiles(rest))];
  const problem = await describe({ git, merged, tree, files, id, rest, signal });
  return { conflict: { commit, task: id, files, problem } };
}

/** The lines up to the empty one: mode, object, stage, a tab and the path. */
function conflictingFiles(fields: readonly string[]): string[] {
  const end = fields.indexOf('');
  return fields
    .slice(0, end < 0 ? fields.length : end)
    .map((field) => field.replace(/^[^\t]*\t/, ''));
}

async function describe(options: {
  readonly git: PrivateGit;
  readonly merged: string;
  readonly tree: string;
  readonly files: readonly string[];
  readonly id: string;
  readonly rest: readonly string[];
  readonly signal: AbortSignal | undefined;
}): Promise<string> {
  const { git, merged, tree, files, id, rest, signal } = options;
  const said = rest.filter((field) => field.startsWith('CONFLICT')).map((line) => line.trim());
  const args = ['diff-tree', '-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv'];
  const { output, cut } = await git.run({
    args: [...args, merged, tree, '--', ...files],
    cutAt: shownBytes,
    signal,
  });
  return [
    `The work of "${id}" does not fit what was merged before it. Make its change again on top of that.`,
    ...said.slice(0, 20),
    `Between the marks, first what was merged before, then the work of "${id}":`,
    `${output.toString('utf8').trimEnd()}${cut ? '\n[The rest was cut.]' : ''}`,
  ].join('\n');
}

async function isAncestor(
  git: PrivateGit,
  options: {
    readonly old: string;
    readonly later: string;
    readonly signal: AbortSignal | undefined;
  },
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', options.old, options.later];
  return (await git.run({ args, codes: [0, 1], signal: options.signal })).code === 0;
}

async function tooOld(git: PrivateGit): Promise<ForgeError> {
  const version = await git.text({ args: ['version'] });
  return new ForgeError(
    'tool_failed',
    `Merging needs git 2.38 or later; this is ${version}. Install a later git, or let tasks run one after another.`,
  );
}
