import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

export function isEmpty(value: JsonObject): boolean {
  for (const _ in value) return false;
  return true;
}

/** The value if it is an object, else an empty one: made to be spread and taken apart. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Without the fields that have no value: what is not set is not sent. */
export function defined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const set: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) set.push([name, value]);
  }
  return Object.fromEntries(set);
}

/** Without the fields that are `null`, where that says no more than absence. */
export function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** A copy that lacks those fields. */
export function without(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
