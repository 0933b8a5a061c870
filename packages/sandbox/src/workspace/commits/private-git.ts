import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OwnedFolder, OwnedFolders } from '../../owner/owned-folders.ts';
import { runGit } from '../run-git.ts';
import type { Repository } from './repository.ts';

export interface PrivateCommand {
  /** The first is the name of the command. */
  readonly args: readonly string[];
  readonly input?: string | Uint8Array | undefined;
  readonly codes?: readonly number[];
  readonly cutAt?: number | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Git over the objects of a repository and nothing else of it: settings, attributes, filters, merge
 * drivers and hooks of the user's are not there to be run, and its index, branches and tree cannot be
 * touched. Contents are taken as they are.
 */
export interface PrivateGit {
  readonly repository: Repository;
  /** For files of the caller's. Goes with `close`. */
  readonly folder: string;
  run(command: PrivateCommand): ReturnType<typeof runGit>;
  /** What it printed, without the last line's end. */
  text(command: PrivateCommand): Promise<string>;
  close(): Promise<void>;
}

/** Attributes stand above those in trees, so that none of these hides, changes or runs anything. */
export const plainAttributes =
  '* !diff !merge !text !eol !crlf !ident !filter !working-tree-encoding !whitespace\n';

/** The settings of a repository that is made here; names that some systems take for `.git` are refused. */
export function plainConfig(format: Repository['format']): string {
  const version = format === 'sha256' ? 1 : 0;
  const extensions = format === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  return `[core]
\trepositoryformatversion = ${version}
\tbare = false
\tprotectHFS = true
\tprotectNTFS = true
\tautocrlf = false
\tsymlinks = true
\tfileMode = true
\tlooseCompression = 1
\thooksPath = /dev/null
\tfsync = loose-object,reference
[gc]
\tauto = 0
${extensions}`;
}

const folders = () => new OwnedFolders({ parent: tmpdir(), kind: 'forge-git' });

/** Removes what processes that died left of theirs. Says what. */
export async function reapPrivateGits(): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const folder of await folders().abandoned()) {
    await folders().remove(folder);
    removed.push(`git's files in ${folder.path}`);
  }
  return removed;
}

export async function openPrivateGit(repository: Repository): Promise<PrivateGit> {
  const owned = await folders().create();
  try {
    await lay(owned, repository);
  } catch (error) {
    await folders().remove(owned);
    throw error;
  }
  const own = join(owned.path, 'git');
  const environment = {
    GIT_DIR: own,
    GIT_OBJECT_DIRECTORY: repository.objects,
    GIT_WORK_TREE: join(owned.path, 'nothing'),
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: 'none', // An object that is missing is missed, not fetched.
    GIT_LITERAL_PATHSPECS: '1',
  };
  const run = ({ env, ...command }: PrivateCommand) =>
    runGit({
      cwd: owned.path,
      env: { ...environment, ...env },
      shown: repository.root,
      ...command,
    });
  return {
    repository,
    folder: owned.path,
    run,
    text: async (command) => (await run(command)).output.toString('utf8').replace(/\n$/, ''),
    close: () => folders().remove(owned),
  };
}

async function lay({ path }: OwnedFolder, { format, shallow }: Repository): Promise<void> {
  const own = join(path, 'git');
  for (const name of ['nothing', 'git', 'git/refs', 'git/objects', 'git/info']) {
    await mkdir(join(path, name));
  }
  await writeFile(join(own, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(own, 'config'), plainConfig(format));
  await writeFile(join(own, 'info', 'attributes'), plainAttributes);
  // Where a shallow history ends, it ends here too.
  await copyFile(shallow, join(own, 'shallow')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** Opens one for a single piece of work. */
export async function withPrivateGit<T>(
  repository: Repository,
  work: (git: PrivateGit) => Promise<T>,
): Promise<T> {
  const git = await openPrivateGit(repository);
  try {
    return await work(git);
  } finally {
    await git.close();
  }
}
