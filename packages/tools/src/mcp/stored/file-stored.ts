import { mkdirSync, watch } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import * as z from 'zod';
import { lockFile } from './lock-file.ts';
import type { Stored } from './stored.ts';
import { writePrivateFile } from './write-private-file.ts';

export interface FileStoredOptions<T> {
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** What a file that is not there says. */
  readonly empty: T;
}

const mostBytes = 64 * 1024 * 1024;
/** Editors write a file in several steps; they are one change. */
const settleMs = 50;

/**
 * A value in a JSON file that only its owner can read. Several processes may use one file: writes
 * take turns, and readers see the old text or the new one.
 */
export function fileStored<T>({ path, schema, empty }: FileStoredOptions<T>): Stored<T> {
  const read = async (): Promise<T> => {
    const text = await readText(path);
    return text === undefined ? empty : parse({ path, text, schema });
  };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    read,
    update(change) {
      const mine = turn.then(() => changeFile({ path, read, change }));
      turn = mine.catch(() => {});
      return mine;
    },
    watch: (onChange) => watchFile(path, onChange),
  };
}

async function changeFile<T>({
  path,
  read,
  change,
}: {
  path: string;
  read: () => Promise<T>;
  change: (current: T) => T;
}): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unlock = await lockFile(path);
  try {
    const before = await read();
    const after = change(before);
    if (after !== before) {
      await writePrivateFile(path, `${JSON.stringify(after, null, 2)}\n`);
    }
    return after;
  } finally {
    await unlock();
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length <= mostBytes) return text;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  throw new ForgeError('too_large', `${path} is larger than 64 MB. Move it away and start anew.`);
}

function parse<T>({ path, text, schema }: { path: string; text: string; schema: z.ZodType<T> }): T {
  const unusable = (why: string, cause: unknown) =>
    new ForgeError('invalid_options', `${path} cannot be used: ${why} Mend it or move it away.`, {
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable(`${messageOf(error)}.`, error);
  }
  const read = schema.safeParse(value);
  if (!read.success) throw unusable(`${z.prettifyError(read.error)}.`, read.error);
  return read.data;
}

/** Watches the folder, as every write puts a new file in the old one's place. */
function watchFile(path: string, onChange: () => void): () => void {
  let settling: NodeJS.Timeout | undefined;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
    if (name !== null && name !== basename(path)) return;
    clearTimeout(settling);
    settling = setTimeout(onChange, settleMs);
    settling.unref();
  });
  // A folder that cannot be watched any more only costs the news.
  watcher.on('error', () => {});
  return () => {
    clearTimeout(settling);
    watcher.close();
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
