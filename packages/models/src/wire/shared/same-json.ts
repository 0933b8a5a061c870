import { canonicalJson, type JsonValue } from '@forge/core';

/**
 * Whether two values are the same JSON, whatever the order of their fields. Throws `RangeError`
 * if one is nested too deeply, even where they differ at once: nobody could send it on.
 */
export function sameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (!isNested(one) && !isNested(other)) return one === other;
  if (isNested(one) && isNested(other) && isBare(one) && isBare(other)) {
    return Array.isArray(one) === Array.isArray(other);
  }
  return canonicalJson(one) === canonicalJson(other);
}

function isNested(value: JsonValue | undefined): value is JsonValue & object {
  return typeof value === 'object' && value !== null;
}

function isBare(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
