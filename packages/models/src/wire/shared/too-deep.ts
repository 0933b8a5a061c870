import { ModelError } from '../model-error.ts';
import type { BodyKind } from './read-body.ts';

/**
 * Runs a decoder over a body that may be nested deeper than the stack: `JSON.parse` takes such a
 * body, comparing or writing one does not.
 */
export function refuseTooDeep<T>(kind: BodyKind, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ModelError({ kind, message: 'The JSON is nested too deeply to be read.' });
  }
}
