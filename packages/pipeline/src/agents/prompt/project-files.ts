import { constants, open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import { runGit } from '@forge/sandbox';

/** Bytes of a text of the project that are read. */
export const mostProjectText = 64 * 1024;

export interface ProjectText {
  readonly text: string;
  /** It was longer. */
  readonly cut: boolean;
}

/** Where the project's own texts come from: its folder, or a commit of it. */
export interface ProjectFiles {
  /** Undefined if there is no such file. Paths are relative, with `/`. */
  read(path: string): Promise<ProjectText | undefined>;
}

/** The files of a folder. What a link inside it leads to outside is not read. */
export function folderFiles(folder: string): ProjectFiles {
  return {
    async read(path) {
      try {
        const root = await realpath(folder);
        const file = await realpath(resolve(root, path));
        const below = relative(root, file);
        if (below === '' || below.startsWith('..') || isAbsolute(below)) {
          throw new ForgeError('not_allowed', `${path} leads out of the project's folder.`);
        }
        // A pipe would be waited for.
        const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
        try {
          if (!(await handle.stat()).isFile()) return undefined;
          const buffer = Buffer.alloc(mostProjectText + 1);
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
          return toText(buffer.subarray(0, bytesRead));
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

/** The files of a commit, whatever lies in the work tree now. */
export function commitFiles({
  repo,
  commit,
}: {
  readonly repo: string;
  readonly commit: string;
}): ProjectFiles {
  return {
    async read(path) {
      const { output, code } = await runGit({
        cwd: repo,
        args: ['cat-file', 'blob', `${commit}:${path}`],
        // Nothing is fetched, and nothing stands in for what the commit holds.
        env: { GIT_NO_LAZY_FETCH: '1', GIT_NO_REPLACE_OBJECTS: '1' },
        codes: [0, 128],
        cutAt: mostProjectText + 1,
      });
      return code === 128 ? undefined : toText(output);
    },
  };
}

function toText(bytes: Buffer): ProjectText {
  const cut = bytes.length > mostProjectText;
  return { text: bytes.subarray(0, mostProjectText).toString('utf8'), cut };
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  );
}
