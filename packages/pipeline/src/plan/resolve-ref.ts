import type { JsonValue } from '@forge/core';
import { parsePlace, sourcesOf } from '../definition/parse-ref.ts';
import type { Ref } from '../definition/pipeline-schema.ts';

/** What a word of a reference stands for; undefined if it is not there. */
export type Lookup = (root: string) => JsonValue | undefined;

/** The value of the first source that is there. */
export function resolveRef(ref: Ref, lookup: Lookup): JsonValue | undefined {
  for (const source of sourcesOf(ref)) {
    if (typeof source !== 'string') return source.value;
    const { root, path } = parsePlace(source);
    const value = valueAt(lookup(root), path);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A list of properties, without those that are not there. */
export function resolveAll(
  refs: Readonly<Record<string, Ref>>,
  lookup: Lookup,
): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(refs).flatMap(([name, ref]) => {
      const value = resolveRef(ref, lookup);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function valueAt(from: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let at = from;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    if (Array.isArray(at) && !/^\d{1,6}$/.test(name)) return undefined;
    at = (at as { readonly [key: string]: JsonValue })[name];
  }
  return at;
}
