import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ForgeError } from '@forge/core';
import type { WriteEntry } from './write-tar.ts';

export interface PackOptions {
  /** Which entries to take, by their name and kind; what is in a folder left out is left out too. */
  readonly keep?: (name: string, isFolder: boolean) => boolean;
}

/** Up to this size a file is read at once, so that its size is that of what was read. */
const smallBytes = 1024 * 1024;

/**
 * What lies in a folder of this machine, in order of names: files, folders, links as links. Nothing
 * is followed. Sockets, pipes and devices are left out.
 */
export async function* packFolder(
  root: string,
  { keep = () => true }: PackOptions = {},
): AsyncGenerator<WriteEntry, void, void> {
  const waiting = await namesIn(root, '');
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const entry = await entryOf(root, name);
    if (entry === undefined || !keep(name, entry.type === 'folder')) continue;
    yield entry;
    if (entry.type !== 'folder') continue;
    for (const child of await namesIn(root, name)) waiting.push(child);
  }
}

/** Files and links by their names; those that are gone, or lie behind a link, are left out. */
export async function* packNames(
  root: string,
  names: Iterable<string>,
): AsyncGenerator<WriteEntry, void, void> {
  const folders = new Map<string, boolean>([['.', true]]);
  const isReal = async (folder: string): Promise<boolean> => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const real =
      (await isReal(dirname(folder))) &&
      (await lstat(join(root, folder)).then(
        (about) => about.isDirectory(),
        () => false,
      ));
    folders.set(folder, real);
    return real;
  };
  for (const name of names) {
    if (!(await isReal(dirname(name)))) continue;
    const entry = await entryOf(root, name);
    if (entry !== undefined && entry.type !== 'folder') yield entry;
  }
}

async function entryOf(root: string, name: string): Promise<WriteEntry | undefined> {
  const path = join(root, name);
  const about = await lstat(path).catch(ignoreMissing);
  if (about === undefined) return undefined;
  const common = { name, link: '', size: 0, mode: about.mode & 0o777, mtime: about.mtimeMs / 1000 };
  if (about.isDirectory()) return { ...common, type: 'folder' };
  if (about.isSymbolicLink()) return { ...common, type: 'symlink', link: await readlink(path) };
  if (!about.isFile()) return undefined;
  return { ...common, type: 'file', ...(await contentOf(path, about.size)) };
}

/** One file under its own name. */
export async function* packFile(
  path: string,
  name: string,
): AsyncGenerator<WriteEntry, void, void> {
  const { size, mode, mtimeMs } = await lstat(path);
  const common = { name, link: '', mode: mode & 0o777, mtime: mtimeMs / 1000 };
  yield { ...common, type: 'file', ...(await contentOf(path, size)) };
}

async function contentOf(path: string, size: number): Promise<Pick<WriteEntry, 'size' | 'body'>> {
  if (size <= smallBytes) {
    const bytes = await readFile(path, { flag: constants.O_RDONLY | constants.O_NOFOLLOW });
    return { size: bytes.length, body: [bytes] };
  }
  return { size, body: exactly(path, size) };
}

async function* exactly(path: string, size: number): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for (let at = 0; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(size - at, 256 * 1024));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) {
        throw new ForgeError(
          'tool_failed',
          `${path} became shorter while it was copied. Try again.`,
        );
      }
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Last first, so that taking from the end goes in order. */
async function namesIn(root: string, folder: string): Promise<string[]> {
  const names = (await readdir(join(root, folder)).catch(ignoreMissing)) ?? [];
  return names
    .sort()
    .reverse()
    .map((name) => (folder === '' ? name : `${folder}/${name}`));
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
