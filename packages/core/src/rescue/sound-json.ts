import { type JsonValue, nestsTooDeep } from '../json.ts';

/**
 * An object or list that is sound JSON as it stands, which the engine reads many times faster than
 * we do. Undefined for anything else, which is not to say that it cannot be mended.
 */
export function soundJson(text: string): JsonValue | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return nestsTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
