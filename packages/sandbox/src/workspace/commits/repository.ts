import { stat } from 'node:fs/promises';
import { ForgeError } from '@forge/core';
import { runGit } from '../run-git.ts';

/** Where a git repository of this machine keeps things. */
export interface Repository {
  /** The top of its work tree; of a bare one, the repository itself. */
  readonly root: string;
  readonly gitDir: string;
  readonly objects: string;
  /** The file that says where a shallow history ends; it need not be there. */
  readonly shallow: string;
  readonly format: 'sha1' | 'sha256';
  readonly bare: boolean;
}

/** The repository that a folder belongs to. `invalid_options` with what to do if it is none. */
export async function openRepository(path: string, signal?: AbortSignal): Promise<Repository> {
  const about = await stat(path).catch(() => undefined);
  if (!about?.isDirectory()) {
    throw new ForgeError('not_found', `There is no folder ${path}.`);
  }
  const paths = ['--absolute-git-dir', '--git-path', 'objects', '--git-path', 'shallow'];
  const facts = ['--show-object-format', '--is-bare-repository'];
  const args = ['rev-parse', '--path-format=absolute', ...paths, ...facts];
  const said = await runGit({ cwd: path, args, codes: [0, 128], signal });
  const [gitDir, objects, shallow, format, bare] = said.output.toString('utf8').split('\n');
  if (said.code !== 0 || !gitDir || !objects || !shallow) throw noRepository(path);
  const common = {
    gitDir,
    objects,
    shallow,
    format: format === 'sha256' ? format : 'sha1',
    bare: bare === 'true',
  } as const;
  const top = await runGit({
    cwd: path,
    args: ['rev-parse', '--path-format=absolute', '--show-toplevel'],
    codes: [0, 128],
    signal,
  });
  const root = top.output.toString('utf8').replace(/\n$/, '');
  return { ...common, root: root === '' ? gitDir : root };
}

function noRepository(path: string): ForgeError {
  return new ForgeError(
    'invalid_options',
    `${path} is not in a git repository. Make it one: git init && git add -A && git commit -m "Start".`,
  );
}

/** Runs git on the repository itself: for its refs alone. Everything else goes through `PrivateGit`. */
export function gitOnRefs(
  repository: Repository,
  command: {
    readonly args: readonly string[];
    readonly codes?: readonly number[];
    readonly env?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
  },
): ReturnType<typeof runGit> {
  const { gitDir, root } = repository;
  const { args, env, codes = [0], signal } = command;
  return runGit({
    cwd: gitDir,
    args,
    env: { ...env, ...durable, GIT_DIR: gitDir },
    codes,
    shown: root,
    signal,
  });
}

/** Written to the disk before git says so. A ref that others hold is waited for, a little. */
const durable = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.fsync',
  GIT_CONFIG_VALUE_0: 'loose-object,reference',
  GIT_CONFIG_KEY_1: 'core.filesRefLockTimeout',
  GIT_CONFIG_VALUE_1: '1000',
};
