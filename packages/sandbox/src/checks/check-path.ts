import { ForgeError } from '@forge/core';
import type { ByteRange } from '../sandbox.ts';

/** What `readFile` gives at most when it is not told. */
const defaultReadBytes = 10 * 1024 * 1024;

/** Refuses what can be no path in any sandbox. */
export function checkPath(path: string): void {
  if (path === '')
    throw new ForgeError('invalid_options', 'A path is empty. The workspace is ".".');
  if (path.includes('\0')) {
    throw new ForgeError('invalid_options', `The path ${JSON.stringify(path)} holds a NUL byte.`);
  }
}

/** The range with its defaults. */
export function checkRange({ offset = 0, limit = defaultReadBytes }: ByteRange = {}): {
  readonly offset: number;
  readonly limit: number;
} {
  for (const [name, value] of Object.entries({ offset, limit })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new ForgeError(
        'invalid_options',
        `${name} is ${value}. It takes a whole number of bytes.`,
      );
    }
  }
  return { offset, limit };
}
