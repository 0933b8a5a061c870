import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Sleep } from '../retry/sleep.ts';

const pollEvery = 100;

/**
 * Makes processes that want to start the same backend take turns. The lock is one of the
 * operating system's on a file, by way of SQLite, so that it ends with the process that holds it.
 * Resolves with what releases it.
 */
export async function startLock(
  folder: string,
  { signal, sleep }: { readonly signal: AbortSignal; readonly sleep: Sleep },
): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  while (true) {
    const release = tryLock(join(folder, 'start.lock'));
    if (release !== undefined) return release;
    await sleep(pollEvery, signal);
  }
}

function tryLock(path: string): (() => void) | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      return undefined;
    }
    throw error;
  }
}

const sqliteBusy = 5;
