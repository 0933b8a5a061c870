import { alternatives, isSchema, literalsOf, type Plain, type Typed, typeOf } from './json-type.ts';

const names: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};
const many: Readonly<Record<string, string>> = {
  string: 'texts',
  integer: 'whole numbers',
  number: 'numbers',
  object: 'objects',
  array: 'lists',
};

/** The type of values, for a message: "a list of texts", "one of "pass", "fail"". */
export function describeType(type: Typed): string {
  const words = new Set(alternatives(type).map((schema) => describe(schema, type)));
  return [...words].join(' or ');
}

function describe(schema: Plain, { root }: Typed): string {
  const literals = literalsOf(schema);
  if (literals !== undefined) {
    const shown = literals.slice(0, 8).map((value) => JSON.stringify(value));
    if (literals.length > shown.length) shown.push('…');
    return literals.length === 1 ? shown.join() : `one of ${shown.join(', ')}`;
  }
  const type = typeOf(schema);
  if (type === 'array') {
    const items = isSchema(schema.items) ? alternatives({ schema: schema.items, root }) : [];
    const [only] = items;
    const word = items.length === 1 && only !== undefined ? many[typeOf(only) ?? ''] : undefined;
    return word === undefined ? 'a list' : `a list of ${word}`;
  }
  if (type === 'object') return 'an object';
  return names[type ?? ''] ?? 'anything';
}
