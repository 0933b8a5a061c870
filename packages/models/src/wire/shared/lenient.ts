import type { JsonObject, JsonValue } from '@forge/core';

/** A repeated field as a list: absent and null are none, one bare value is a list of one. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return isList(value) ? value : [value];
}

export function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number, or text that is one (64-bit integers travel as text in protobuf's JSON). */
export function asNumber(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** The fields not named in `known`, or nothing if there are none. Null says no more than absence. */
export function otherFields(
  object: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  let rest: Record<string, JsonValue> | undefined;
  for (const key in object) {
    const value = object[key];
    if (known.has(key) || value === undefined || value === null) continue;
    rest ??= {};
    rest[key] = value;
  }
  return rest;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
