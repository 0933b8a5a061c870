import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@forge/core';

/** What lies in a folder, for those who look and change nothing. */
export interface Folder {
  has(name: string): boolean;
  /** The text of a file; undefined where there is none, or it is no text one would read. */
  read(name: string): string | undefined;
}

const mostBytes = 1_000_000;

export function openFolder(path: string): Folder {
  const sizeOf = (name: string) => {
    const found = statSync(join(path, name), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : undefined;
  };
  return {
    has: (name) => statSync(join(path, name), { throwIfNoEntry: false }) !== undefined,
    read(name) {
      const size = sizeOf(name);
      if (size === undefined || size > mostBytes) return undefined;
      try {
        return readFileSync(join(path, name), 'utf8');
      } catch {
        return undefined; // A file we may not read tells us nothing.
      }
    },
  };
}

/** A block of JSON; empty where the text is something else. */
export function readJson(text: string | undefined): JsonObject {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
