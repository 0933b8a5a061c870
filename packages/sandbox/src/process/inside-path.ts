import { mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import { checkPath } from '../checks/check-path.ts';

/** A folder that paths may not lead out of, and the one relative paths begin in. */
export interface Inside {
  /** Both real: no links in them. */
  readonly root: string;
  readonly workspace: string;
}

/** The real path of what is there, all links followed. `not_found`, or `not_allowed` outside. */
export async function existingPath(inside: Inside, path: string): Promise<string> {
  const full = fullPath(inside, path);
  let real: string;
  try {
    real = await realpath(full);
  } catch (error) {
    throw pathError(path, error);
  }
  if (!isInside(inside.root, real)) throw leadsOut(path);
  return real;
}

/**
 * The path of what is to be written: its folder is made, and real. A link at the path itself stays
 * unfollowed.
 */
export async function writablePath(inside: Inside, path: string): Promise<string> {
  const full = fullPath(inside, path);
  if (full === inside.workspace) throw new ForgeError('not_a_file', `${path} is a folder.`);
  const folder = await makeFolder(inside, dirname(full), path);
  return join(folder, full.slice(dirname(full).length + 1));
}

/** Makes a folder with those above it, and gives its real path. */
export async function makeFolder(inside: Inside, full: string, shown: string): Promise<string> {
  if (!isInside(inside.root, full)) throw leadsOut(shown);
  // The part that is there decides where the rest would be made.
  let there = full;
  for (;;) {
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined) {
      if (!isInside(inside.root, real)) throw leadsOut(shown);
      const wanted = join(real, relative(there, full));
      try {
        await mkdir(wanted, { recursive: true });
      } catch (error) {
        throw pathError(shown, error);
      }
      const made = await realpath(wanted);
      if (!isInside(inside.root, made)) throw leadsOut(shown);
      return made;
    }
    there = dirname(there);
  }
}

export function fullPath({ root, workspace }: Inside, path: string): string {
  checkPath(path);
  const full = isAbsolute(path) ? resolve(path) : resolve(workspace, path);
  if (!isInside(root, full)) throw leadsOut(path);
  return full;
}

/** What the file system says of a path, in our words. */
export function pathError(path: string, error: unknown): ForgeError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const cause = { cause: error };
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ForgeError('not_found', `There is no file ${path}.`, cause);
    case 'EISDIR':
    case 'ENOTEMPTY':
    case 'EEXIST':
      return new ForgeError('not_a_file', `${path} is a folder, or leads through a file.`, cause);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new ForgeError('too_large', `${path} does not fit on the disk.`, cause);
    default:
      return new ForgeError('not_allowed', `${path} cannot be used: ${String(error)}`, cause);
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function leadsOut(path: string): ForgeError {
  return new ForgeError(
    'not_allowed',
    `${path} leads out of the workspace. Files outside of it are not read or written here.`,
  );
}
