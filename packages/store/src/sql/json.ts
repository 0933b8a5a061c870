import { ForgeError, isJsonObject, type JsonObject, type JsonValue, messageOf } from '@forge/core';

/**
 * JSON as the store keeps it: text, so that what was written comes back digit for digit. What JSON
 * cannot say is `invalid_options`.
 */
export function writeJson(value: JsonValue): string {
  let text: string | undefined;
  let why = 'it is undefined or a function';
  try {
    text = JSON.stringify(value);
  } catch (error) {
    why = messageOf(error); // A circle, or a bigint.
  }
  if (text !== undefined) return text;
  throw new ForgeError('invalid_options', `A value for the store is not JSON: ${why}.`);
}

export function writeOptionalJson(value: JsonValue | undefined): string | null {
  return value === undefined ? null : writeJson(value);
}

/** `where` names the row in the error: a person has to find it. */
export function readJson(text: string, where: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw broken(where, messageOf(error));
  }
}

export function readJsonObject(text: string, where: string): JsonObject {
  const value = readJson(text, where);
  if (isJsonObject(value)) return value;
  throw broken(where, 'not an object');
}

export function readStringList(text: string, where: string): readonly string[] {
  const value = readJson(text, where);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw broken(where, 'not a list of names');
}

/** One that is damaged is no reason to hide the others: whoever reads it sees what is wrong. */
export function readObjectOrDamage(text: string, where: string): JsonObject {
  try {
    return readJsonObject(text, where);
  } catch (error) {
    return { broken: messageOf(error), text };
  }
}

/** Labels are for finding runs: a damaged one is left out rather than hiding the run. */
export function readLabels(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    );
  } catch {
    return {};
  }
}

function broken(where: string, why: string): ForgeError {
  return new ForgeError('store_failed', `The store holds a damaged value in ${where}: ${why}.`);
}
