import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import type { Wire } from '../wire.ts';
import { isEmpty } from './json-fields.ts';

/** Whatever carries fields of a provider: a part, a message, a tool, a stream event. */
export interface Holder {
  readonly provider?: JsonObject;
}

export type Provider = Record<string, JsonValue>;

/**
 * Words that mean the same on several wires. They stand in `provider` under their own name, so
 * that they cross over to every wire that has them; all else stands under the name of the one wire
 * that understands it and is sent to no other.
 */
const commonNames: ReadonlySet<string> = new Set(['cache_control', 'strict']);

/** What this wire alone put there. */
export function ownFields(wire: Wire['name'], { provider }: Holder): JsonObject {
  const own = provider?.[wire];
  return isJsonObject(own) ? own : {};
}

/** `{ provider }` with fields for this wire alone, or nothing where none is set. */
export function keepOwn(
  wire: Wire['name'],
  fields: Readonly<Record<string, JsonValue | undefined>>,
): { provider?: Provider } {
  let own: Record<string, JsonValue> | undefined;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    own ??= {};
    own[name] = value;
  }
  return own === undefined ? {} : { provider: { [wire]: own } };
}

/** `{ provider }` with fields of an object that have no word of ours: common ones and own ones. */
export function keepFields(wire: Wire['name'], fields: JsonObject): { provider?: Provider } {
  if (isEmpty(fields)) return {};
  const { common, own } = split(fields);
  return { provider: isEmpty(own) ? { ...common } : { ...common, [wire]: own } };
}

/** The way back of `keepFields`. Fields of other wires stay here. */
export function keptFields(wire: Wire['name'], holder: Holder): JsonObject {
  const { provider } = holder;
  if (provider === undefined) return {};
  return { ...split(provider).common, ...ownFields(wire, holder) };
}

/** A field that is an object, or an empty one: made to be spread. */
export function objectField(fields: JsonObject, name: string): JsonObject {
  const value = fields[name];
  return isJsonObject(value) ? value : {};
}

function split(fields: JsonObject): { common: JsonObject; own: JsonObject } {
  const entries = Object.entries(fields);
  return {
    common: Object.fromEntries(entries.filter(([name]) => commonNames.has(name))),
    own: Object.fromEntries(entries.filter(([name]) => !commonNames.has(name))),
  };
}
