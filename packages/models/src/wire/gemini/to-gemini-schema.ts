import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '@forge/core';
import { resolveReference } from './resolve-reference.ts';

/** Keywords Gemini's schema has a field for and takes as they are. */
const kept = new Set([
  'title',
  'description',
  'default',
  'example',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'pattern',
  'nullable',
  'propertyOrdering',
]);

const formats: Readonly<Record<string, ReadonlySet<string>>> = {
  STRING: new Set(['date-time', 'enum']),
  NUMBER: new Set(['float', 'double']),
  INTEGER: new Set(['int32', 'int64']),
};

const anyValue: JsonObject = {
  anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }, { type: 'BOOLEAN' }, { type: 'OBJECT' }],
};

/**
 * JSON Schema in the part of OpenAPI 3.0 that Gemini's `parameters` and `responseSchema` take;
 * a keyword outside it fails the whole request. References are inlined (a recursive one ends
 * in a bare object), `null` becomes `nullable`, `oneOf` becomes `anyOf`, `allOf` is merged,
 * `const` becomes an `enum` of one. What has no field and can be said in words (a format, a
 * list of numbers) moves to the description; the rest is dropped. Arguments are still checked
 * against the full schema when they come back.
 */
export function toGeminiSchema(schema: JsonSchema): JsonObject {
  return convert(schema, {
    root: schema,
    within: new Set(),
    depth: 0,
    budget: { left: mostNodes },
  });
}

/** References can make a small schema endless, or as large as they like: past this, a bare object. */
const mostNodes = 5000;
const deepest = 64;

interface Place {
  readonly root: JsonSchema;
  /** References being inlined. */
  readonly within: ReadonlySet<string>;
  readonly depth: number;
  readonly budget: { left: number };
}

function convert(schema: unknown, outer: Place): JsonObject {
  if (!isJsonObject(schema)) return anyValue;
  const place = { ...outer, depth: outer.depth + 1 };
  place.budget.left -= 1;
  if (place.budget.left < 0 || place.depth > deepest) return { type: 'OBJECT' };
  if (typeof schema.$ref === 'string') return inline(schema, { ...place, ref: schema.$ref });
  if (isList(schema.allOf)) return convertAll(schema, { ...place, all: schema.allOf });
  const union = unionOf(schema);
  if (union !== undefined) return convertUnion(schema, { ...place, union });

  const types = typesOf(schema);
  const concrete = types.filter((type) => type !== 'null');
  const nullable: JsonObject =
    types.length > concrete.length || schema.nullable === true ? { nullable: true } : {};
  if (concrete.length > 1) {
    const { type: _, description, nullable: __, ...own } = schema;
    const anyOf = concrete.map((type) => convert({ ...onlyFor(type, own), type }, place));
    return { ...(typeof description === 'string' && { description }), ...nullable, anyOf };
  }
  const type = concrete[0]?.toUpperCase();
  if (type === undefined) return { ...anyValue, ...describe(schema, []), ...nullable };

  const notes: string[] = [];
  const converted: Record<string, JsonValue> = { type, ...keep(schema), ...nullable };
  if (type === 'OBJECT') Object.assign(converted, convertObject(schema, place));
  if (type === 'ARRAY') converted.items = convertItems(schema, place);
  Object.assign(converted, convertEnum(schema, { type, notes }));
  convertBounds(schema, { type, converted });
  if (typeof schema.format === 'string') {
    if (formats[type]?.has(schema.format)) converted.format = schema.format;
    else notes.push(`Format: ${schema.format}.`);
  }
  return { ...converted, ...describe(schema, notes) };
}

function inline(schema: JsonObject, { ref, ...place }: Place & { ref: string }): JsonObject {
  const { $ref: _, ...own } = schema;
  const target = place.within.has(ref) ? undefined : resolveReference(place.root, ref);
  if (target === undefined) return { type: 'OBJECT', ...keep(own) };
  const within = new Set(place.within).add(ref);
  return convert({ ...objectOf(target), ...own }, { ...place, within });
}

/** Beside properties, alternatives only say which of them go together: that is left out. */
function convertUnion(
  schema: JsonObject,
  { union, ...place }: Place & { union: readonly JsonValue[] },
): JsonObject {
  const { anyOf: _, oneOf: __, description, nullable, ...own } = schema;
  const said: JsonObject = typeof description === 'string' ? { description } : {};
  const orNull: JsonObject = nullable === true || union.some(isNull) ? { nullable: true } : {};
  const members = union.filter((member) => !isNull(member));
  const [only, ...more] = members;
  if (only === undefined || own.properties !== undefined) {
    return convert({ ...own, ...said, ...orNull }, place);
  }
  if (more.length === 0) {
    return { ...convert({ ...own, ...objectOf(only), ...said }, place), ...orNull };
  }
  const anyOf = members.map((member) => convert({ ...own, ...objectOf(member) }, place));
  return { ...said, ...orNull, anyOf };
}

function convertAll(
  schema: JsonObject,
  { all, ...place }: Place & { all: readonly JsonValue[] },
): JsonObject {
  const { allOf: _, ...own } = schema;
  const within = new Set(place.within);
  let merged: JsonObject = own;
  for (const member of all) {
    const { $ref: ref, ...fields } = objectOf(member);
    let part: JsonObject = fields;
    if (typeof ref === 'string') {
      if (within.has(ref)) continue;
      within.add(ref);
      part = { ...objectOf(resolveReference(place.root, ref)), ...fields };
    }
    merged = {
      ...part,
      ...merged,
      ...both(part, merged, 'properties'),
      ...(isList(part.required) &&
        isList(merged.required) && { required: [...merged.required, ...part.required] }),
    };
  }
  return convert(merged, { ...place, within });
}

function both(one: JsonObject, other: JsonObject, name: string): JsonObject {
  const a = one[name];
  const b = other[name];
  return isJsonObject(a) && isJsonObject(b) ? { [name]: { ...a, ...b } } : {};
}

function convertObject(schema: JsonObject, place: Place): JsonObject {
  const given = isJsonObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(given);
  if (names.length === 0) return {};
  const properties = Object.fromEntries(names.map((name) => [name, convert(given[name], place)]));
  const required = isList(schema.required)
    ? schema.required.filter((name) => typeof name === 'string' && name in properties)
    : [];
  return { properties, ...(required.length > 0 && { required }) };
}

/** Gemini refuses a list that does not say what is in it. */
function convertItems(schema: JsonObject, place: Place): JsonObject {
  const tuple = isList(schema.prefixItems) ? schema.prefixItems : schema.items;
  if (!isList(tuple)) return convert(schema.items, place);
  if (tuple.length === 0) return anyValue;
  return convert({ anyOf: tuple }, place);
}

/** Only texts can be enumerated; other values are told in words. */
function convertEnum(
  schema: JsonObject,
  { type, notes }: { type: string; notes: string[] },
): JsonObject {
  const values = isList(schema.enum)
    ? schema.enum.filter((value) => value !== null)
    : schema.const !== undefined
      ? [schema.const]
      : [];
  if (values.length === 0) return {};
  if (type === 'STRING') return { enum: values.filter((value) => typeof value === 'string') };
  notes.push(`One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`);
  return {};
}

function convertBounds(
  schema: JsonObject,
  { type, converted }: { type: string; converted: Record<string, JsonValue> },
): void {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  if (type !== 'INTEGER') return;
  if (typeof exclusiveMinimum === 'number') converted.minimum ??= Math.floor(exclusiveMinimum) + 1;
  if (typeof exclusiveMaximum === 'number') converted.maximum ??= Math.ceil(exclusiveMaximum) - 1;
}

function describe(schema: JsonObject, notes: readonly string[]): JsonObject {
  const said = typeof schema.description === 'string' ? [schema.description] : [];
  const all = [...said, ...notes];
  return all.length === 0 ? {} : { description: all.join(' ') };
}

function keep(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => kept.has(name)));
}

/** The types a schema allows, told or implied by its other keywords. */
function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type.toLowerCase()];
  if (isList(type))
    return type.flatMap((one) => (typeof one === 'string' ? [one.toLowerCase()] : []));
  if (schema.properties !== undefined) return ['object'];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ['array'];
  const values = isList(schema.enum)
    ? schema.enum
    : schema.const === undefined
      ? []
      : [schema.const];
  return [...new Set(values.map(typeOfValue))];
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** With several types, values listed go to the type they are of. */
function onlyFor(type: string, schema: JsonObject): JsonObject {
  if (!isList(schema.enum)) return schema;
  const { enum: values, ...own } = schema;
  const mine = schema.enum.filter((value) => {
    const is = typeOfValue(value);
    return is === type || (type === 'number' && is === 'integer');
  });
  return mine.length === 0 ? own : { ...own, enum: mine };
}

function unionOf(schema: JsonObject): readonly JsonValue[] | undefined {
  if (isList(schema.anyOf)) return schema.anyOf;
  return isList(schema.oneOf) ? schema.oneOf : undefined;
}

function isNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && (schema.type === 'null' || schema.const === null);
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}
