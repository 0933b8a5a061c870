import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

/** Where settings come from, strongest first. */
export const layerNames = ['flag', 'environment', 'project', 'user', 'default'] as const;
export type LayerName = (typeof layerNames)[number];

/** What one place says: never more than stands there, and checked by itself. */
export interface Layer {
  readonly name: LayerName;
  readonly value: JsonObject;
  /** For people: `forge.yaml:12`, `FORGE_MODEL`, `--model`. */
  readonly placeOf: (path: readonly string[]) => string;
  /** Paths in it begin here. */
  readonly folder: string;
}

/** Where a value came from. */
export interface Origin {
  readonly layer: LayerName;
  readonly place: string;
}

/**
 * Blocks that are taken as one from the strongest layer that has them: half of one server, profile
 * or pipeline and half of another is neither.
 */
const wholes: readonly (readonly string[])[] = [
  ['pipeline'],
  ['agents', '*', 'input'],
  ['agents', '*', 'output'],
  ['proxy', 'profiles', '*'],
  ['mcp', '*'],
];

export function isWhole(path: readonly string[]): boolean {
  return wholes.some(
    (whole) =>
      whole.length === path.length &&
      whole.every((step, index) => step === '*' || step === path[index]),
  );
}

/** The block taken as one that a path leads into. */
export function wholeAbove(path: readonly string[]): readonly string[] | undefined {
  const length = path.findIndex((_, index) => isWhole(path.slice(0, index)));
  return length < 0 ? undefined : path.slice(0, length);
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let place: JsonValue | undefined = value;
  for (const step of path) {
    if (!isJsonObject(place) || !Object.hasOwn(place, step)) return undefined;
    place = place[step];
  }
  return place;
}

/** A copy with that value at that path. What is no block on the way becomes one. */
export function withValue(
  value: JsonObject,
  [step, ...rest]: readonly string[],
  put: JsonValue,
): JsonObject {
  if (step === undefined) return isJsonObject(put) ? put : value;
  const below = Object.hasOwn(value, step) ? value[step] : undefined;
  const inner = rest.length === 0 ? put : withValue(isJsonObject(below) ? below : {}, rest, put);
  return Object.fromEntries([
    ...Object.entries(value).filter(([key]) => key !== step),
    [step, inner],
  ]);
}
