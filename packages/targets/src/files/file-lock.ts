import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/**
 * A lock of the operating system on a file, by way of SQLite: it ends with the process that holds
 * it, however that ends. Its folder has to be there. Undefined if somebody has it, else what releases it.
 */
export function tryLock(path: string): (() => void) | undefined {
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
