import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import { fateOf, ownIdentity, parseIdentity } from '@forge/sandbox/owner';

const tries = 200;
const pause = 25;

/**
 * Waits for the turn to write a file, and returns how to give it back. The lock names its holder:
 * one who died holds nothing, so no process has to be killed by hand after a crash.
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  const mine = ownIdentity();
  for (let attempt = 0; attempt < tries; attempt++) {
    if (await take(lock, mine)) return () => rm(lock, { force: true });
    await removeIfDead(lock);
    await sleep(pause);
  }
  throw new ForgeError(
    'not_allowed',
    `${path} is being written by another process for too long. If none is running, delete ${lock}.`,
  );
}

async function take(lock: string, mine: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600);
    await handle.writeFile(mine).finally(() => handle.close());
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * A half-written lock looks like nobody's and is left alone. Two who find the same dead holder may
 * both remove the lock, the second one a fresh one: the window is a file removal wide, and the
 * price is one lost update, never half a file.
 */
async function removeIfDead(lock: string): Promise<void> {
  const holder = parseIdentity(await readFile(lock, 'utf8').catch(() => ''));
  if (holder !== undefined && fateOf(holder) === 'dead') await rm(lock, { force: true });
}
