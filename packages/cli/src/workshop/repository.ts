import { ForgeError } from '@forge/core';
import { commitOf, inspectRepository } from '@forge/pipeline';

export interface WorkOn {
  readonly repo: string;
  readonly commit: string;
}

const shown = 5;

/**
 * The repository and the commit that work begins with: what was asked for, else the last commit of a
 * clean tree on a branch. Everything else is an error that says what to do, for what is not committed
 * would silently be left out.
 */
export async function workOn(path: string, base: string | undefined): Promise<WorkOn> {
  const facts = await inspectRepository(path);
  const repo = facts.root;
  if (base !== undefined) return { repo, commit: await commitOf(repo, base) };
  if (facts.head === undefined) {
    throw new ForgeError(
      'invalid_options',
      `${repo} has no commit yet, and work begins with one. Run: git add -A && git commit -m "Begin"`,
    );
  }
  if (facts.dirty.length > 0) {
    const files = facts.dirty.slice(0, shown).join(', ');
    const more = facts.dirty.length > shown ? ` and ${facts.dirty.length - shown} more` : '';
    throw new ForgeError(
      'invalid_options',
      `${repo} has changes that are not committed (${files}${more}). Commit or stash them; or give --base HEAD to begin with the last commit, without them.`,
    );
  }
  if (facts.detached) {
    throw new ForgeError(
      'invalid_options',
      `${repo} is on no branch (detached HEAD). Run git switch <branch>, or give --base HEAD to begin with this commit.`,
    );
  }
  return { repo, commit: facts.head };
}

/** `A..B`, `A` for A..HEAD, or nothing for the last commit against the one before. */
export async function reviewed(
  path: string,
  range: string | undefined,
): Promise<WorkOn & { readonly base: string }> {
  const { repo, commit: head } = await workOn(path, 'HEAD');
  const [from = '', to = ''] = (range ?? 'HEAD~1..HEAD').split(/\.{2,3}/);
  return {
    repo,
    base: await commitOf(repo, from || 'HEAD~1'),
    commit: to === '' ? head : await commitOf(repo, to),
  };
}
