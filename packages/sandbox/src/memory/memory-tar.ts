import { posix } from 'node:path';
import { ForgeError } from '@forge/core';
import { readTar } from '../archive/read-tar.ts';
import { type WriteEntry, writeTar } from '../archive/write-tar.ts';
import { fileError, type MemoryFiles } from './memory-files.ts';

/** Unpacks into a folder, which is made. Nothing is written through a link that stood there. */
export async function unpack(
  files: MemoryFiles,
  { folder, tar, maxBytes }: { folder: string; tar: AsyncIterable<Uint8Array>; maxBytes: number },
): Promise<void> {
  const root = files.resolve(folder);
  await files.makeFolder(root);
  for await (const entry of readTar(tar, { entries: 100_000, bytes: maxBytes })) {
    const place = posix.join(root, entry.name);
    await clearTheWay(files, root, entry.name, entry.type === 'folder');
    try {
      switch (entry.type) {
        case 'folder':
          await files.makeFolder(place);
          await files.fs.chmod(place, entry.mode);
          break;
        case 'file':
          await files.write(place, await bytesOf(entry.body), { mode: entry.mode });
          break;
        case 'symlink':
          await files.makeFolder(posix.dirname(place));
          await files.fs.symlink(entry.link, place);
          break;
        case 'hardlink':
          await files.makeFolder(posix.dirname(place));
          await files.fs.link(posix.join(root, entry.link), place);
          break;
      }
    } catch (error) {
      throw ForgeError.is(error) ? error : fileError(entry.name, error);
    }
  }
}

/** A link on the way to an entry, or anything but a folder in its place, makes room for it. */
async function clearTheWay(files: MemoryFiles, root: string, name: string, isFolder: boolean) {
  const parts = name.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const place = posix.join(root, ...parts.slice(0, count));
    const stat = await files.fs.lstat(place).catch(() => undefined);
    if (stat === undefined) return;
    const stays = stat.isDirectory && (count < parts.length || isFolder);
    if (stays) continue;
    if (stat.isDirectory) {
      throw new ForgeError(
        'not_a_file',
        `${name} is a folder in the sandbox, and a file in the tar.`,
      );
    }
    await files.fs.rm(place);
  }
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

/** A folder's content, or one file under its own name. */
export async function pack(
  files: MemoryFiles,
  path: string,
): Promise<AsyncGenerator<Uint8Array, void, void>> {
  const root = files.resolve(path);
  let stat: Awaited<ReturnType<MemoryFiles['fs']['lstat']>>;
  try {
    stat = await files.fs.lstat(root);
  } catch (error) {
    throw fileError(path, error);
  }
  if (stat.isDirectory) return writeTar(entriesBelow(files, root, ''));
  return writeTar(entryAt(files, root, posix.basename(root)));
}

async function* entriesBelow(
  files: MemoryFiles,
  folder: string,
  prefix: string,
): AsyncGenerator<WriteEntry, void, void> {
  for (const name of (await files.fs.readdir(folder)).sort()) {
    const place = posix.join(folder, name);
    yield* entryAt(files, place, prefix + name);
    const stat = await files.fs.lstat(place).catch(() => undefined);
    if (stat?.isDirectory) yield* entriesBelow(files, place, `${prefix}${name}/`);
  }
}

/** Nothing, if it went away meanwhile. */
async function* entryAt(
  files: MemoryFiles,
  place: string,
  name: string,
): AsyncGenerator<WriteEntry, void, void> {
  const stat = await files.fs.lstat(place).catch(() => undefined);
  if (stat === undefined) return;
  const mtime = Math.max(0, Math.floor(stat.mtime.getTime() / 1000));
  const base = { name, mode: stat.mode & 0o777, mtime, link: '', size: 0 };
  if (stat.isSymbolicLink) {
    yield { ...base, type: 'symlink', mode: 0o777, link: await files.fs.readlink(place) };
  } else if (stat.isDirectory) {
    yield { ...base, type: 'folder' };
  } else {
    const bytes = await files.fs.readFileBuffer(place);
    yield { ...base, type: 'file', size: bytes.length, body: [bytes] };
  }
}
