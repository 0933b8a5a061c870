import { closeSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** What fits into the address of a socket everywhere. */
const longestPath = 100;

/**
 * Gives a socket's path to `use`, short enough for the system: long ones by way of their folder's
 * open descriptor, where there is a /proc.
 */
export async function withSocketPath<Result>(
  path: string,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  if (Buffer.byteLength(path) <= longestPath || process.platform !== 'linux') return use(path);
  const folder = openSync(dirname(path), 'r');
  try {
    return await use(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}
