import { homedir } from 'node:os';
import { join } from 'node:path';
import { gitOnRefs, namesFrom, openRepository, type Repository, runGit } from '@forge/sandbox';

/** What one has to know of a repository before work on it begins. */
export interface RepositoryFacts {
  /** The top of its work tree; of a bare one, the repository itself. */
  readonly root: string;
  /** The last commit; missing while there is none. */
  readonly head?: string;
  /** The branch it is on; missing if it is on none. */
  readonly branch?: string;
  readonly detached: boolean;
  /** Files that are changed, staged or not, and new ones git does not ignore. The first 1,000. */
  readonly dirty: readonly string[];
  readonly bare: boolean;
  /** It has no commit yet. */
  readonly empty: boolean;
}

const mostDirty = 1_000;

/**
 * Looks at the repository that a folder belongs to, and changes nothing. No filter that it configures
 * is run, so that a file may count as changed whose content only a filter would show to be the same.
 * `invalid_options` with what to do if there is none, `not_found` if there is no such folder.
 */
export async function inspectRepository(
  path: string,
  options: {
    readonly signal?: AbortSignal;
    /** Whose own ignored files count as ignored. Default: the user's. */
    readonly home?: string;
  } = {},
): Promise<RepositoryFacts> {
  const { signal, home = homedir() } = options;
  const repository = await openRepository(path, signal);
  const { root, bare } = repository;
  const [head, branch] = await Promise.all([
    line(repository, ['rev-parse', '-q', '--verify', 'HEAD^{commit}'], signal),
    line(repository, ['symbolic-ref', '-q', '--short', 'HEAD'], signal),
  ]);
  return {
    root,
    ...(head !== '' && { head }),
    ...(branch !== '' && { branch }),
    detached: branch === '',
    dirty: bare ? [] : await dirtyFiles({ root, home, signal }),
    bare,
    empty: head === '',
  };
}

async function line(
  repository: Repository,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const { output } = await gitOnRefs(repository, { args, codes: [0, 1, 128], signal });
  return output.toString('utf8').trim();
}

async function dirtyFiles(options: {
  readonly root: string;
  readonly home: string;
  readonly signal: AbortSignal | undefined;
}): Promise<string[]> {
  const { root, signal } = options;
  const status = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'];
  const { output } = await runGit({
    cwd: root,
    args: [...status, '--ignore-submodules=dirty'],
    env: settingsAs({ ...(await filtersOff(root, signal)), ...(await ownIgnored(options)) }),
    cutAt: mostDirty * 1_000,
    signal,
  });
  return namesFrom(output)
    .slice(0, mostDirty)
    .map((entry) => entry.slice(3));
}

/** Settings that leave no content filter of the repository a program to run. */
async function filtersOff(
  cwd: string,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, string>>> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'];
  const { output } = await runGit({ cwd, args, codes: [0, 1], signal });
  return Object.fromEntries(
    namesFrom(output).map((name) => [name, name.endsWith('.required') ? 'false' : '']),
  );
}

/** The one of the user's own settings that counts: the file of what they ignore everywhere. */
async function ownIgnored({
  root,
  home,
  signal,
}: {
  readonly root: string;
  readonly home: string;
  readonly signal: AbortSignal | undefined;
}): Promise<Readonly<Record<string, string>>> {
  const { output } = await runGit({
    cwd: root,
    args: ['config', '--type=path', '--get', 'core.excludesFile'],
    env: { HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') },
    codes: [0, 1],
    signal,
  });
  const file = output.toString('utf8').trim();
  return { 'core.excludesFile': file === '' ? join(home, '.config', 'git', 'ignore') : file };
}

/** Settings as variables that git reads them from. */
function settingsAs(settings: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(settings);
  return {
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
