/**
 * The types of JSON Schema as bits, so that "one of these types" is one number. A whole number is
 * both an `integer` and a `number`, whichever way it was written (`3` and `3.0` are one value).
 */
export const NULL = 1;
export const BOOLEAN = 2;
export const INTEGER = 4;
/** A number that is not whole. No schema can ask for this alone. */
export const FRACTION = 8;
export const NUMBER = INTEGER | FRACTION;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
export const ANY_TYPE = NULL | BOOLEAN | NUMBER | STRING | ARRAY | OBJECT;

const byName: ReadonlyMap<string, number> = new Map([
  ['string', STRING],
  ['integer', INTEGER],
  ['number', NUMBER],
  ['boolean', BOOLEAN],
  ['object', OBJECT],
  ['array', ARRAY],
  ['null', NULL],
]);

export const typeNames: readonly string[] = [...byName.keys()];

/** The bits of a type's name; undefined for a name JSON Schema does not have. */
export function typeNamed(name: unknown): number | undefined {
  return typeof name === 'string' ? byName.get(name) : undefined;
}

/** The bit of a value's type; 0 for what JSON cannot say (undefined, NaN, functions). */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'number':
      if (Number.isInteger(value)) return INTEGER;
      return Number.isFinite(value) ? FRACTION : 0;
    case 'boolean':
      return BOOLEAN;
    case 'object':
      if (value === null) return NULL;
      return Array.isArray(value) ? ARRAY : OBJECT;
    default:
      return 0;
  }
}

/** "a string or null", for a message. */
export function describeTypes(types: number): string {
  const words: string[] = [];
  if (types & STRING) words.push('a string');
  if ((types & NUMBER) === NUMBER) words.push('a number');
  else if (types & INTEGER) words.push('an integer');
  if (types & BOOLEAN) words.push('a boolean');
  if (types & OBJECT) words.push('an object');
  if (types & ARRAY) words.push('an array');
  if (types & NULL) words.push('null');
  const last = words.pop() ?? 'nothing';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}
