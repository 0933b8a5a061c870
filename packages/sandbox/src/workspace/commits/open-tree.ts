import { ForgeError } from '@forge/core';
import type { Sandbox } from '../../sandbox.ts';
import { defaultWorkspaceLimits, type WorkspaceLimits } from '../read-source.ts';
import { KeptTree } from './kept-tree.ts';
import { packCommits } from './pack-commits.ts';
import { plainEntries, tarOf } from './plain-entries.ts';
import type { PrivateGit } from './private-git.ts';
import type { Repository } from './repository.ts';
import { defaultLookLimits, type LookLimits, TreeInside } from './tree-inside.ts';

export interface OpenTree {
  readonly sandbox: Sandbox;
  /** Over the repository that has both commits. Stays the caller's, and open for as long as the tree is. */
  readonly git: PrivateGit;
  /** What git inside shows as the last commit. */
  readonly start: string;
  /** The files. */
  readonly from: string;
  readonly limits?: Partial<WorkspaceLimits> | undefined;
  readonly lookLimits?: Partial<LookLimits> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is not in the sandbox though it is in the commit. */
export interface LeftOut {
  /** Folders of submodules: they are there, and empty. */
  readonly submodules: readonly string[];
  /** Files of Git LFS are the small texts that stand for them. */
  readonly largeFiles: boolean;
}

/**
 * Puts the files of a commit into a sandbox's workspace, with a repository inside that holds the
 * commit the work began with: its last commit, no history, no remote, no setting or hook of the
 * user's. Contents are as they are in the commit, whatever filters the repository has.
 */
export async function openTree(
  options: OpenTree,
): Promise<{ readonly tree: KeptTree; readonly leftOut: LeftOut }> {
  const { sandbox, git, start, from, signal } = options;
  const limits = { ...defaultWorkspaceLimits, ...options.limits };
  const inside = await TreeInside.in(sandbox, signal);
  const [startTree, tree] = await treesOf(git, [start, from], signal);
  const leftOut = await leftOutOf(git, { tree, limits, signal });
  const packed = await packCommits(git, [start, from], { limits, signal });
  const { format } = git.repository;
  const files = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/config': configInside(format),
    '.git/refs/heads/main': `${start}\n`,
    '.git/shallow': `${start}\n`,
  };
  const entries = plainEntries(files, ['.git/objects/pack']);
  await sandbox.copyIn('.', tarOf(entries, packed.entries('.git/objects/pack')));
  await packed.remove();
  await inside.lay(format);
  await inside.unpack(tree, tree === startTree, signal);
  const lookLimits = { ...defaultLookLimits, ...options.lookLimits };
  return { tree: new KeptTree({ inside, git, tree, limits, lookLimits }), leftOut };
}

function configInside(format: Repository['format']): string {
  const isLong = format === 'sha256';
  return `[core]
\trepositoryformatversion = ${isLong ? 1 : 0}
\tbare = false
[user]
\tname = Forge
\temail = forge@localhost
${isLong ? '[extensions]\n\tobjectFormat = sha256\n' : ''}`;
}

/** The trees of commits, in the same order. */
async function treesOf(
  git: PrivateGit,
  commits: readonly [string, string],
  signal: AbortSignal | undefined,
): Promise<readonly [string, string]> {
  const args = ['rev-parse', '--verify', '--end-of-options'];
  const [first, second] = await Promise.all(
    commits.map((commit) => git.text({ args: [...args, `${commit}^{tree}`], signal })),
  );
  return [first ?? '', second ?? ''];
}

async function leftOutOf(
  git: PrivateGit,
  options: {
    readonly tree: string;
    readonly limits: WorkspaceLimits;
    readonly signal: AbortSignal | undefined;
  },
): Promise<LeftOut> {
  const { tree, limits, signal } = options;
  const { output } = await git.run({ args: ['ls-tree', '-r', '-z', tree], signal });
  const entries = output.toString('utf8').split('\0');
  if (entries.length > limits.files) {
    throw new ForgeError(
      'too_large',
      `${git.repository.root} has more than ${limits.files} files, too many for a sandbox. Raise the limits.`,
    );
  }
  const submodules = entries
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const attributes = await git.run({
    args: ['cat-file', 'blob', `${tree}:.gitattributes`],
    codes: [0, 128],
    cutAt: 64 * 1024,
    signal,
  });
  return { submodules, largeFiles: /\bfilter=lfs\b/.test(attributes.output.toString('utf8')) };
}
