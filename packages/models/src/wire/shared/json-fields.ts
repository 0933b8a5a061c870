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

/** What is left without those fields. */
export function without(fields: JsonObject, names: readonly string[]): JsonObject {
  const rest: Record<string, JsonValue> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === undefined || names.includes(name)) continue;
    // Assigned, this name would be lost.
    if (name === '__proto__') Object.defineProperty(rest, name, { ...asOwn, value });
    else rest[name] = value;
  }
  return rest;
}

const asOwn = { enumerable: true, writable: true, configurable: true };
