import type { JsonValue } from '@forge/core';

/** The value of a JSON text, or undefined if it is not one. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
