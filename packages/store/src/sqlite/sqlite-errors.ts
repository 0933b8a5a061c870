import { ForgeError, messageOf } from '@forge/core';
import { textWithNul } from '../as-text.ts';
import { TextWithNul } from './database.ts';

const primary = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
};

/** The result code of SQLite, without what extends it; undefined for other errors. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Somebody else writes: waiting helps. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === primary.busy || code === primary.locked;
}

/** What the database threw, as a person can use it. Nothing was written. */
export function storeFailed(error: unknown, file: string): ForgeError {
  if (ForgeError.is(error)) return error;
  if (error instanceof TextWithNul) return textWithNul(error);
  return new ForgeError('store_failed', `${file}: ${advice(error)} Nothing was written.`, {
    cause: error,
  });
}

function advice(error: unknown): string {
  switch (codeOf(error)) {
    case primary.busy:
    case primary.locked:
      return 'another process kept the database to itself for too long. Find it, or try again.';
    case primary.full:
      return 'no room is left for the database. Make room; the store goes on by itself then.';
    case primary.readonly:
      return 'the database cannot be written. Check the permissions of the file and its folder.';
    case primary.cannotOpen:
      return 'the database cannot be opened. Check that the folder is there and may be written.';
    case primary.notDatabase:
      return 'this file is not a SQLite database. Name another file for the store.';
    case primary.corrupt:
      return 'the database is damaged. Restore it from a copy.';
    case primary.io:
      return `the disk failed (${messageOf(error)}).`;
    default:
      return `the database refused (${messageOf(error)}).`;
  }
}

export function closed(): ForgeError {
  return new ForgeError('store_failed', 'The store is closed. Open it again.');
}
