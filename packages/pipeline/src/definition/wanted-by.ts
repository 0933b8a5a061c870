import { alternatives, isPlain, propertiesOf, requiredOf, type Typed, typed } from './json-type.ts';

/** What an agent takes: the properties of its input, and which it cannot do without. */
export function wantedBy(input: Typed) {
  const all = alternatives(input);
  const properties = new Map<string, Typed>();
  for (const schema of all) {
    for (const [name, part] of Object.entries(propertiesOf(schema))) {
      const type = isPlain(part) ? { schema: part, root: input.root } : typed(true);
      // In one form this and in another that: left to the moment there is a value.
      properties.set(name, properties.has(name) ? typed(true) : type);
    }
  }
  const [first, ...others] = all.map((schema) => new Set(requiredOf(schema)));
  const required = [...(first ?? [])].filter((name) => others.every((more) => more.has(name)));
  const isOpen = all.some(
    ({ properties: own, additionalProperties: more }) =>
      !isPlain(own) || more === true || isPlain(more),
  );
  return { properties, required: new Set(required), isOpen };
}
