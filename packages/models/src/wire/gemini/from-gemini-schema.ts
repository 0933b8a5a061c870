import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { asNumber } from '../shared/lenient.ts';

const counts = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

/** Gemini's OpenAPI schema as JSON Schema: lower-case types, `nullable` as a type, counts as numbers. */
export function fromGeminiSchema(schema: JsonValue): JsonObject {
  return convert(schema, 0);
}

/** Deeper schemas are cut off: Gemini takes far less. */
const deepest = 64;

function convert(schema: JsonValue, depth: number): JsonObject {
  if (!isJsonObject(schema) || depth > deepest) return {};
  const inner = (value: JsonValue) => convert(value, depth + 1);
  const converted: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (value === null) continue;
    if (name === 'type') {
      if (value !== 'TYPE_UNSPECIFIED') converted.type = lowerCase(value);
    } else if (name === 'properties' && isJsonObject(value)) {
      const properties = Object.entries(value).map(([key, one]) => [key, inner(one)]);
      converted.properties = Object.fromEntries(properties);
    } else if (name === 'items') converted.items = inner(value);
    else if (name === 'anyOf' && isList(value)) converted.anyOf = value.map(inner);
    else if (name === 'example') converted.examples = [value];
    else if (counts.has(name)) converted[name] = asNumber(value) ?? value;
    else if (name !== 'nullable' && !(name === 'format' && value === 'enum'))
      converted[name] = value;
  }
  return schema.nullable === true ? orNull(converted) : converted;
}

function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (isList(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (typeof type !== 'string') return schema;
  const values: JsonObject = isList(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [type, 'null'], ...values };
}

function lowerCase(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toLowerCase();
  return isList(value) ? value.map(lowerCase) : value;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
