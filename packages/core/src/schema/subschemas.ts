import { isJsonObject } from '../json.ts';
import type { JsonSchema } from './json-schema.ts';
import { isSchema } from './keyword-reader.ts';

/** What a keyword that holds schemas holds. */
type Holding = 'schema' | 'list' | 'map';

const holdings: ReadonlyMap<string, readonly Holding[]> = new Map<string, readonly Holding[]>([
  ['properties', ['map']],
  ['patternProperties', ['map']],
  ['additionalProperties', ['schema']],
  ['propertyNames', ['schema']],
  ['unevaluatedProperties', ['schema']],
  ['dependentSchemas', ['map']],
  ['dependencies', ['map']],
  ['items', ['schema', 'list']],
  ['prefixItems', ['list']],
  ['additionalItems', ['schema']],
  ['unevaluatedItems', ['schema']],
  ['contains', ['schema']],
  ['allOf', ['list']],
  ['anyOf', ['list']],
  ['oneOf', ['list']],
  ['not', ['schema']],
  ['if', ['schema']],
  ['then', ['schema']],
  ['else', ['schema']],
  ['$defs', ['map']],
  ['definitions', ['map']],
  ['contentSchema', ['schema']],
]);

/** The schemas written directly inside a schema; what stands in unknown keywords is not one. */
export function childSchemas(schema: {
  readonly [keyword: string]: unknown;
}): { readonly at: string; readonly schema: JsonSchema }[] {
  const found: { at: string; schema: JsonSchema }[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const holding = holdings.get(keyword);
    if (holding === undefined) continue;
    if (holding.includes('schema') && isSchema(value)) found.push({ at: keyword, schema: value });
    const isList = holding.includes('list') && Array.isArray(value);
    const isMap = holding.includes('map') && isJsonObject(value);
    if (!isList && !isMap) continue;
    for (const [key, child] of Object.entries(value)) {
      if (isSchema(child)) found.push({ at: `${keyword}/${key}`, schema: child });
    }
  }
  return found;
}
