import { ForgeError } from '@forge/core';

/** Free text as both databases keep it. Names of things are refused instead: they are never changed. */
export function asText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** For a name with a NUL: half of what reads it takes that for its end, and PostgreSQL has no such text. */
export function textWithNul(cause?: unknown): ForgeError {
  const text = 'A text of this call has a NUL character in it. Leave it out. Nothing was written.';
  return new ForgeError('invalid_options', text, { cause });
}
