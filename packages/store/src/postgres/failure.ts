import { ForgeError, messageOf } from '@forge/core';

/**
 * What went wrong, by what can be done about it. `conflict`: the transaction was undone and may be
 * tried again. `lost`: the connection or the server went away, and a commit under way may have
 * happened or not. `fault`: trying again would not help.
 */
export type Failure = 'conflict' | 'lost' | 'fault';

/** Serialization failure, deadlock, a lock that was not given. */
const conflicts = new Set(['40001', '40P01', '55P03']);

/**
 * The server stops, starts, has no room for a connection, ended one that was idle too long, or is a
 * replica now; and what a socket says.
 */
const losses = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '53300',
  '25006',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

/** pg gives these no code. */
const lostMessages =
  /^Connection terminated|^timeout expired$|^Query read timeout$|is not queryable$|^timeout exceeded when trying to connect$/;

export function failureOf(error: unknown): Failure {
  if (ForgeError.is(error)) return 'fault';
  const code = codeOf(error);
  if (code !== undefined) {
    if (conflicts.has(code)) return 'conflict';
    if (losses.has(code) || code.startsWith('08')) return 'lost';
    return 'fault';
  }
  return lostMessages.test(messageOf(error)) ? 'lost' : 'fault';
}

/** The SQLSTATE of the server, or the code of a socket. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Text with a NUL, or a number too big: the caller gave what no row can hold. */
const unwritable = new Set(['22021', '22P05', '22003']);

/** A row that refers to a run which somebody pruned at this moment. */
const missingOwner = '23503';

/** Whatever came out of the database, as one of ours. */
export function toForgeError(error: unknown): ForgeError {
  if (ForgeError.is(error)) return error;
  if (unwritable.has(codeOf(error) ?? '')) {
    return new ForgeError(
      'invalid_options',
      `PostgreSQL cannot store a value of this call: ${messageOf(error)}. Leave out NUL characters and numbers that are no safe integers.`,
      { cause: error },
    );
  }
  if (codeOf(error) === missingOwner) {
    return new ForgeError(
      'not_found',
      `What this belongs to was removed meanwhile: ${messageOf(error)}.`,
      { cause: error },
    );
  }
  return new ForgeError(
    'store_failed',
    `PostgreSQL could not do it: ${messageOf(error)}. Look at the server and its log, then try again.`,
    { cause: error },
  );
}
