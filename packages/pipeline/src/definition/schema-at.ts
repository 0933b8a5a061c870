import {
  alternatives,
  isPlain,
  isSchema,
  type Plain,
  propertiesOf,
  requiredOf,
  type Typed,
  typeOf,
} from './json-type.ts';

export type Found =
  | {
      readonly type: 'found';
      readonly at: Typed /** May be missing in a valid value. */;
      readonly maybe: boolean;
    }
  | {
      readonly type: 'missing';
      /** How far the path led, as far as it is known. */
      readonly index: number;
      /** What is there instead. */
      readonly known: readonly string[];
    };

/** What is at a path of names in values of a schema. What a schema does not say may be anything. */
export function schemaAt(from: Typed, path: readonly string[]): Found {
  let at = from;
  let maybe = false;
  for (const [index, name] of path.entries()) {
    const all = alternatives(at);
    const steps = all.map((schema) => stepInto(schema, name));
    const found = steps.filter((step) => step !== undefined);
    if (found.length === 0) {
      const known = new Set(all.flatMap((schema) => Object.keys(propertiesOf(schema))));
      return { type: 'missing', index, known: [...known] };
    }
    maybe ||= found.length < all.length || found.some((step) => step.maybe);
    const schemas = found.map(({ schema }) => schema);
    const [only = true] = schemas;
    at = { schema: schemas.length === 1 ? only : { anyOf: schemas }, root: from.root };
  }
  return { type: 'found', at, maybe };
}

function stepInto(schema: Plain, name: string) {
  const type = typeOf(schema);
  if (type === undefined) return { schema: true, maybe: false };
  if (type === 'object') return property(schema, name);
  if (type === 'array' && /^\d{1,6}$/.test(name)) return item(schema, Number(name));
  return undefined;
}

function property(schema: Plain, name: string) {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) {
    const inner = properties[name];
    const maybe = !requiredOf(schema).includes(name);
    return { schema: isSchema(inner) ? inner : true, maybe };
  }
  const { additionalProperties: others } = schema;
  if (isPlain(others)) return { schema: others, maybe: true };
  const isOpen = others === true || (others === undefined && !isPlain(schema.properties));
  return isOpen ? { schema: true, maybe: false } : undefined;
}

function item(schema: Plain, index: number) {
  const { items, prefixItems, minItems } = schema;
  const maybe = !(typeof minItems === 'number' && minItems > index);
  const first = Array.isArray(prefixItems) ? prefixItems[index] : undefined;
  const inner = first ?? items;
  return { schema: isSchema(inner) ? inner : true, maybe };
}
