import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';

const keyBytes = 32;

/** Tells what this user's Forge wrote into a tree from what came with the tree. */
export interface JournalKey {
  /** A seal over the parts, in this order. */
  seal(...parts: readonly string[]): string;
  isSeal(seal: string, ...parts: readonly string[]): boolean;
}

/** Where the key is kept unless another folder is named. */
function defaultStateFolder(): string {
  return join(homedir(), '.local', 'state', 'forge');
}

/** The key of this user, made at its first use. It lies outside of all trees, readable by them alone. */
export async function journalKey(folder: string = defaultStateFolder()): Promise<JournalKey> {
  const path = join(folder, 'apply.key');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const key = (await readKey(path)) ?? (await makeKey(path));
    const seal = (...parts: readonly string[]) =>
      createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
    return {
      seal,
      isSeal: (given, ...parts) => {
        const [theirs, ours] = [Buffer.from(given), Buffer.from(seal(...parts))];
        return theirs.length === ours.length && timingSafeEqual(theirs, ours);
      },
    };
  } catch (error) {
    if (ForgeError.is(error)) throw error;
    throw new ForgeError(
      'invalid_options',
      `The key for changes of your files cannot be kept in ${folder}: ${messageOf(error)}. Make that folder writable, or name another as stateFolder.`,
      { cause: error },
    );
  }
}

/** Undefined if there is none yet. */
async function readKey(path: string): Promise<Uint8Array | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const about = await file.stat();
    const isOurs = about.isFile() && about.uid === process.getuid?.() && (about.mode & 0o077) === 0;
    if (!isOurs || about.size !== keyBytes) {
      throw new ForgeError(
        'not_allowed',
        `${path} is no key that only you can read. Remove it: a new one is made.`,
      );
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Of several processes that make one at once, all get the one that was there first. */
async function makeKey(path: string): Promise<Uint8Array> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(randomBytes(keyBytes));
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKey(path);
  if (key === undefined) throw new Error('it was removed while it was made');
  return key;
}
