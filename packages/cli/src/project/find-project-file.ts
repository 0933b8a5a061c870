import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const projectFileName = 'forge.yaml';
const userFileName = 'config.yaml';

/**
 * The project's `forge.yaml`: in the working directory or above it, up to the root of the git
 * repository. Outside of a repository only the working directory counts, since what lies above
 * may belong to anybody.
 */
export function findProjectFile(cwd: string, name = projectFileName): string | undefined {
  const root = findGitRoot(cwd);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, name);
    if (existsSync(file)) return file;
    if (root === undefined || folder === root) return undefined;
  }
}

/** The user's own file, which holds where the project says nothing. */
export function findUserFile(configFolder: string): string | undefined {
  const file = join(configFolder, userFileName);
  return existsSync(file) ? file : undefined;
}

/** Where a project's file is written when there is none: at the root of the repository. */
export function newProjectFile(cwd: string): string {
  return join(findGitRoot(cwd) ?? cwd, projectFileName);
}

/** The folder of the git repository a folder is in. */
export function findGitRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
