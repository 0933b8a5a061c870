import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
import { packFile, packFolder } from '../archive/pack-folder.ts';
import { readTar } from '../archive/read-tar.ts';
import { unpackFolder } from '../archive/unpack-folder.ts';
import { writeTar } from '../archive/write-tar.ts';
import { checkRange } from '../checks/check-path.ts';
import type { ByteRange, FileContent, WriteOptions } from '../sandbox.ts';
import {
  existingPath,
  fullPath,
  type Inside,
  makeFolder,
  pathError,
  writablePath,
} from './inside-path.ts';

export async function readInside(
  inside: Inside,
  path: string,
  range?: ByteRange,
): Promise<FileContent> {
  const { offset, limit } = checkRange(range);
  const real = await existingPath(inside, path);
  const about = await stat(real);
  // Looked at before it is opened: opening a pipe waits, opening a device does things.
  if (!about.isFile()) throw new ForgeError('not_a_file', `${path} is not a file.`);
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      throw pathError(path, error);
    },
  );
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, Math.min(limit, size - offset)));
    return { bytes: bytes.subarray(0, await fill(file, bytes, offset)), size };
  } finally {
    await file.close();
  }
}

export async function writeInside(
  inside: Inside,
  path: string,
  { content, mode }: { readonly content: Uint8Array | string } & WriteOptions,
): Promise<void> {
  const target = await writablePath(inside, path);
  const before = await lstat(target).catch(() => undefined);
  if (before?.isDirectory()) throw new ForgeError('not_a_file', `${path} is a folder.`);
  const kept = before?.isFile() ? before.mode & 0o7777 : 0o644;
  const beside = join(dirname(target), `.forge-${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(beside, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.chmod(mode ?? kept);
    } finally {
      await file.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw pathError(path, error);
  }
}

export async function copyInside(inside: Inside, folder: string, tar: Readable): Promise<void> {
  const root = await makeFolder(inside, fullPath(inside, folder), folder);
  await unpackFolder(root, readTar(tar));
}

export async function copyOutside(inside: Inside, path: string): Promise<Readable> {
  const real = await existingPath(inside, path);
  const about = await stat(real);
  if (!about.isDirectory() && !about.isFile()) {
    throw new ForgeError('not_a_file', `${path} is neither file nor folder.`);
  }
  const entries = about.isDirectory() ? packFolder(real) : packFile(real, basename(real));
  return Readable.from(writeTar(entries), { objectMode: false });
}

/** Reads until the bytes are full or the file ends; gives how many there are. */
async function fill(file: FileHandle, bytes: Buffer, offset: number): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
