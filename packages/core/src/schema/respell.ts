import type { JsonObject } from '../json.ts';
import { describeLiteral } from './describe-value.ts';
import type { Repair } from './repair.ts';
import type { SchemaNode } from './schema-node.ts';

/** The schemas that speak about a value, where it is, and where to note what was changed. */
interface Place {
  readonly nodes: readonly SchemaNode[];
  readonly path: readonly (string | number)[];
  readonly repairs: Repair[];
}

/** The one allowed value that differs from a text only in case or spacing, or the text itself. */
export function respellEnum({ nodes, path, repairs }: Place, text: string): string {
  const literals = nodes.flatMap((node) => node.literals ?? []);
  if (literals.includes(text)) return text;
  const folded = foldText(text);
  const alike = new Set(literals.filter((each) => typeof each === 'string'));
  for (const each of alike) if (foldText(each) !== folded) alike.delete(each);
  const [match] = alike;
  if (match === undefined || alike.size > 1) return text;
  const message = `read ${describeLiteral(text)} as ${describeLiteral(match)}`;
  repairs.push({ path, kind: 'enum_spelling', message });
  return match;
}

/**
 * The properties of an object, with names the schemas do not know exchanged for the one missing
 * name that differs only in case, `-` and `_`. A schema that says what other properties may be
 * (a map) knows every name.
 */
export function respellNames(
  { nodes, path, repairs }: Place,
  value: JsonObject,
): [string, unknown][] {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  const rules = nodes.flatMap(({ object }) => (object === undefined ? [] : [object]));
  const isMap = nodes.some(
    ({ object, unevaluatedProperties }) =>
      isOpen(object?.additional) || isOpen(unevaluatedProperties),
  );
  if (isMap) return entries;
  const given = new Set(entries.map(([name]) => name));
  const names = rules.flatMap(({ properties, required }) => [...properties.keys(), ...required]);
  const known = new Set(names);
  const missing = groupByFold([...known].filter((name) => !given.has(name)));
  const isStrange = (name: string) =>
    !known.has(name) &&
    !rules.some(({ patterns }) => patterns.some(({ pattern }) => pattern.matches(name)));
  const strange = groupByFold([...given].filter(isStrange));
  return entries.map(([name, part]) => {
    const folded = foldName(name);
    const [meant, ...others] = missing.get(folded) ?? [];
    if (meant === undefined || others.length > 0) return [name, part];
    if (!isStrange(name) || strange.get(folded)?.length !== 1) return [name, part];
    const message = `read the property ${describeLiteral(name)} as ${describeLiteral(meant)}`;
    repairs.push({ path: [...path, meant], kind: 'property_name', message });
    return [meant, part];
  });
}

function isOpen(rest: SchemaNode | undefined): boolean {
  return rest !== undefined && rest.source !== false;
}

function groupByFold(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const folded = foldName(name);
    groups.set(folded, [...(groups.get(folded) ?? []), name]);
  }
  return groups;
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

function foldText(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '');
}
