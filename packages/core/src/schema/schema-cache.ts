import { canonicalJson } from '../json.ts';
import { MAX_SCHEMA_DEPTH } from './budget.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';
import { isDeeperThan } from './equal-json.ts';
import { invalidSchema } from './invalid-schema.ts';
import type { JsonSchema } from './json-schema.ts';

export interface SchemaCache {
  /** The compiled schema of this content. Throws `invalid_schema`, and does not remember that. */
  get(schema: JsonSchema): CompiledSchema;
  readonly size: number;
}

/** A schema level is an object in a map or list of its keyword: no more than three JSON levels. */
const MAX_JSON_DEPTH = 3 * MAX_SCHEMA_DEPTH;

/**
 * Compiled schemas by content, for schemas that arrive anew with every request. Holds at most
 * `max`; the one not asked for the longest goes first. An object asked for again is found without
 * reading it, so it must not change in between.
 *
 * @example
 * const schemas = createSchemaCache({ max: 1_000 });
 * schemas.get(JSON.parse(text)) === schemas.get(JSON.parse(text)); // true
 */
export function createSchemaCache({ max }: { max: number }): SchemaCache {
  const byContent = new Map<string, CompiledSchema>();
  const keys = new WeakMap<object, string>();

  const keyOf = (schema: JsonSchema): string => {
    if (typeof schema === 'boolean') return String(schema);
    const known = keys.get(schema);
    if (known !== undefined) return known;
    if (isDeeperThan(schema, MAX_JSON_DEPTH)) {
      throw invalidSchema(
        '#',
        'it is nested too deep, or contains itself. Use "$defs" and "$ref".',
      );
    }
    const key = canonicalJson(schema);
    keys.set(schema, key);
    return key;
  };

  return {
    get(schema) {
      const key = keyOf(schema);
      const known = byContent.get(key);
      const compiled = known ?? compileSchema(schema);
      byContent.delete(key);
      byContent.set(key, compiled);
      if (byContent.size > max) {
        const [oldest] = byContent.keys();
        if (oldest !== undefined) byContent.delete(oldest);
      }
      return compiled;
    },
    get size() {
      return byContent.size;
    },
  };
}
