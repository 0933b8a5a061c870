import type { PrivateGit } from '@forge/sandbox';

/** Who commits. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Writes a commit object. No branch, index or tree knows of it. */
export async function writeCommit(
  git: PrivateGit,
  commit: {
    readonly tree: string;
    readonly parents: readonly string[];
    readonly message: string;
    readonly identity: Identity;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<string> {
  const { tree, parents, message, identity, at, signal } = commit;
  return git.text({
    args: ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'],
    input: messageFor(message),
    env: identityEnvironment(identity, at),
    signal,
  });
}

const longestMessage = 100_000;

/** As git stores it: no NUL, no blank lines at the ends, one newline last. */
export function messageFor(message: string): string {
  const text = message.replaceAll('\0', '').slice(0, longestMessage).trim();
  return `${text === '' ? 'Work of Forge' : text}\n`;
}

export function identityEnvironment(
  { name, email }: Identity,
  at: number,
): Readonly<Record<string, string>> {
  const date = `@${Math.floor(at / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
}
