import { ForgeError } from '../errors.ts';

/** The one way a schema is refused: where it is wrong, what is wrong, and what to write. */
export function invalidSchema(location: string, problem: string): ForgeError {
  return new ForgeError(
    'invalid_schema',
    `The JSON Schema is not valid at ${location}: ${problem}`,
  );
}
