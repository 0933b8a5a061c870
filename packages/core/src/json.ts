/** What JSON can say. Everything a model, a tool or the log carries is one of these. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deeper than this nothing of use nests, and what walks it might run out of stack. */
const deepest = 100;
/** Values that share parts can be small in memory and endless to walk. */
const mostParts = 1_000_000;

/** True for values that nest deeper, or hold more, than any honest arguments do. */
export function nestsTooDeep(value: unknown): boolean {
  let parts = 0;
  const goesTooDeep = (inner: unknown, left: number): boolean => {
    if (typeof inner !== 'object' || inner === null) return false;
    if (left === 0 || ++parts > mostParts) return true;
    for (const key in inner) {
      if (goesTooDeep((inner as Record<string, unknown>)[key], left - 1)) return true;
    }
    return false;
  };
  return goesTooDeep(value, deepest);
}

/**
 * JSON with sorted keys: equal values give equal text. Used to tell whether two calls are the
 * same call and to cache compiled schemas by content.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isJsonObject(value)) {
    const fields = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
