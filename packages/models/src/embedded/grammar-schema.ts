import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '@forge/core';

/**
 * A JSON Schema in the words the engine's grammars know: alternatives are `oneOf`, references go
 * to `$defs` at the root, and what they cannot say is left out. The grammar may allow more than
 * the schema does; the guardrails check the reply against the schema itself.
 */
export function grammarSchema(schema: JsonSchema): JsonObject {
  if (!isJsonObject(schema)) return anything;
  const definitions = new Definitions(schema);
  const translated = translate(schema, definitions);
  const defs = definitions.translated();
  return Object.keys(defs).length === 0 ? translated : { ...translated, $defs: defs };
}

/** Any JSON. To the engine an empty schema means `null` and nothing else. */
const anything: JsonObject = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};

/** Every place that is referred to, under a name of its own. Each is translated once. */
class Definitions {
  readonly #root: JsonObject;
  readonly #names = new Map<string, string>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Any JSON where the reference leads nowhere we know. */
  refer(reference: string): JsonObject {
    if (!isJsonObject(this.#resolve(reference))) return anything;
    const name = this.#names.get(reference) ?? `d${this.#names.size}`;
    this.#names.set(reference, name);
    return { $ref: `#/$defs/${name}` };
  }

  translated(): JsonObject {
    const defs: Record<string, JsonValue> = {};
    // A definition may name further ones, which the map then yields too.
    for (const [reference, name] of this.#names) {
      const place = this.#resolve(reference);
      defs[name] = isJsonObject(place) ? translate(place, this) : anything;
    }
    return defs;
  }

  #resolve(reference: string): JsonValue | undefined {
    if (!reference.startsWith('#')) return undefined;
    let place: JsonValue | undefined = this.#root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const key = decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(place)) place = place[Number(key)];
      else if (isJsonObject(place) && Object.hasOwn(place, key)) place = place[key];
      else return undefined;
    }
    return place;
  }
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

const kept = ['minLength', 'maxLength', 'minItems', 'maxItems'] as const;

function translate(schema: JsonObject, definitions: Definitions): JsonObject {
  const inner = (value: JsonValue | undefined): JsonObject =>
    isJsonObject(value) ? translate(value, definitions) : anything;
  const { $ref, type, properties, items, prefixItems, additionalProperties } = schema;
  if (typeof $ref === 'string') return definitions.refer($ref);
  if (schema.const !== undefined) return literal([schema.const]);
  if (Array.isArray(schema.enum)) return literal(schema.enum);

  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives) && alternatives.length > 0) {
    return { oneOf: alternatives.map(inner) };
  }
  if (Array.isArray(type)) {
    const forms = type.map((one) => translate({ ...schema, type: one }, definitions));
    return forms.length === 0 ? anything : { oneOf: forms };
  }
  const kind = typeof type === 'string' ? type : kindOf(schema);
  if (kind === undefined) return anything;

  const result: Record<string, JsonValue> = { type: kind };
  for (const key of kept) {
    const value = schema[key];
    if (typeof value === 'number') result[key] = value;
  }
  if (kind === 'object') {
    const named = isJsonObject(properties) ? Object.entries(properties) : [];
    if (named.length > 0) {
      result.properties = Object.fromEntries(named.map(([name, value]) => [name, inner(value)]));
    }
    if (isJsonObject(additionalProperties)) {
      result.additionalProperties = inner(additionalProperties);
    } else result.additionalProperties = additionalProperties === true || named.length === 0;
  }
  if (kind === 'array') {
    if (items !== undefined && items !== false) result.items = inner(items);
    if (Array.isArray(prefixItems)) result.prefixItems = prefixItems.map(inner);
  }
  return result;
}

/** The type of a schema that leaves it out, by the other words it uses. */
function kindOf({ properties, items, prefixItems }: JsonObject): string | undefined {
  if (isJsonObject(properties)) return 'object';
  return items !== undefined || prefixItems !== undefined ? 'array' : undefined;
}

/** The engine's literals are scalars; a list or an object among them opens it to anything. */
function literal(values: readonly JsonValue[]): JsonObject {
  const scalars = values.every((value) => value === null || typeof value !== 'object');
  return scalars && values.length > 0 ? { enum: values } : anything;
}
