import { ForgeError } from '@forge/core';
import { gitOnRefs, openRepository, type Repository } from '@forge/sandbox';
import { hash } from './read-commits.ts';

export interface MakeBranch {
  /** A folder of the repository. */
  readonly repo: string;
  /** Such as `forge/rate-limiting`. */
  readonly name: string;
  readonly commit: string;
  /** Fails where that name is taken, in place of trying `name-2` and so on. Default false. */
  readonly exact?: boolean;
  readonly signal?: AbortSignal;
}

const mostTries = 1_000;

/**
 * Makes a branch, and gives its name. One that is there with the same commit is taken as made: asking
 * again makes no second one. Never goes to it, and never moves one that is there.
 */
export async function makeBranch(options: MakeBranch): Promise<string> {
  const { commit, exact = false, signal } = options;
  const repository = await openRepository(options.repo, signal);
  await checkName(repository, options.name);
  for (let count = 1; count <= (exact ? 1 : mostTries); count += 1) {
    const name = count === 1 ? options.name : `${options.name}-${count}`;
    const there = await commitAt(repository, name, signal);
    if (there === commit) return name;
    if (there === undefined && (await create(repository, { name, commit: hash(commit), signal }))) {
      return name;
    }
  }
  throw new ForgeError(
    'already_exists',
    `The branch ${options.name} is there already, with other content. Choose another name, or remove it: git branch -D ${options.name}`,
  );
}

async function checkName(repository: Repository, name: string): Promise<void> {
  const args = ['check-ref-format', `refs/heads/${name}`];
  const { code } = await gitOnRefs(repository, { args, codes: [0, 1] });
  if (code === 0 && !name.startsWith('-') && name !== 'HEAD') return;
  throw new ForgeError('invalid_options', `${JSON.stringify(name)} is not a name for a branch.`);
}

async function commitAt(
  repository: Repository,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const args = ['rev-parse', '-q', '--verify', '--end-of-options', `refs/heads/${name}`];
  const { output } = await gitOnRefs(repository, { args, codes: [0, 1], signal });
  return output.toString('utf8').trim() || undefined;
}

/** False if somebody made it at the same time. */
async function create(
  repository: Repository,
  options: {
    readonly name: string;
    readonly commit: string;
    readonly signal: AbortSignal | undefined;
  },
): Promise<boolean> {
  const { name, commit, signal } = options;
  const head = await gitOnRefs(repository, {
    args: ['symbolic-ref', '-q', 'HEAD'],
    codes: [0, 1],
    signal,
  });
  // A branch without a commit is not there yet, but it is where the user works.
  if (head.output.toString('utf8').trim() === `refs/heads/${name}`) return false;
  const none = '0'.repeat(commit.length);
  const args = ['update-ref', '--no-deref', `refs/heads/${name}`, commit, none];
  try {
    await gitOnRefs(repository, { args, signal });
    return true;
  } catch (error) {
    if ((await commitAt(repository, name, signal)) !== undefined) return false;
    throw error;
  }
}
