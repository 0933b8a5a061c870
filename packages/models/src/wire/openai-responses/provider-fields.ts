import { isJsonObject, type JsonObject } from '@forge/core';
import { isEmpty } from '../shared/json-fields.ts';
import { type Holder, keepOwn, ownFields, type Provider } from '../shared/provider-fields.ts';
import { wireName } from './wire-name.ts';

/** What only this wire knows about a part, a message or a tool. */
export function fieldsOf(holder: Holder): JsonObject {
  return ownFields(wireName, holder);
}

/** One of those fields, if it is an object. */
export function objectField(holder: Holder, name: string): JsonObject | undefined {
  const value = fieldsOf(holder)[name];
  return isJsonObject(value) ? value : undefined;
}

/** `{ provider }` to spread into a part, or nothing when there is nothing to keep. */
export function providerWith(fields: JsonObject): { provider?: Provider } {
  return keepOwn(wireName, fields);
}

/** `{ [name]: value }` unless the value is an empty object. */
export function unlessEmpty(name: string, value: JsonObject): JsonObject {
  return isEmpty(value) ? {} : { [name]: value };
}
