import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { isWhole, type Layer, type Origin, valueAt } from './layer.ts';

/** All layers as one value. Blocks are merged, everything else is the strongest layer's. */
export function mergeLayers(strongestFirst: readonly Pick<Layer, 'value'>[]): JsonObject {
  return strongestFirst.reduceRight<JsonObject>(
    (merged, { value }) => mergeBlocks(merged, value, []),
    {},
  );
}

function mergeBlocks(weak: JsonObject, strong: JsonObject, path: readonly string[]): JsonObject {
  const keys = new Set([...Object.keys(weak), ...Object.keys(strong)]);
  return Object.fromEntries(
    Array.from(keys, (key) => {
      const below = [...path, key];
      return [key, mergeValues(valueAt(weak, [key]), valueAt(strong, [key]), below)];
    }),
  );
}

function mergeValues(
  weak: JsonValue | undefined,
  strong: JsonValue | undefined,
  path: readonly string[],
): JsonValue {
  if (strong === undefined) return weak ?? null;
  if (!isJsonObject(weak) || !isJsonObject(strong) || isWhole(path)) return strong;
  return mergeBlocks(weak, strong, path);
}

const byDefault: Origin = { layer: 'default', place: 'default' };

/** Which layer the value at a path of the merged settings is from. */
export function originOf(
  path: readonly string[],
  strongestFirst: readonly Pick<Layer, 'name' | 'value' | 'placeOf'>[],
): Origin {
  for (const { name, value, placeOf } of strongestFirst) {
    if (valueAt(value, path) !== undefined) return { layer: name, place: placeOf(path) };
    if (hides(value, path)) return byDefault;
  }
  return byDefault;
}

/** It says nothing of that path, and lets no weaker layer say anything of it. */
function hides(value: JsonObject, path: readonly string[]): boolean {
  return path.some((_, length) => {
    const above = path.slice(0, length + 1);
    const said = valueAt(value, above);
    return said !== undefined && (isWhole(above) || !isJsonObject(said));
  });
}

/** The paths of all values that are no blocks. A list is one value, and so is an empty block. */
export function leavesOf(value: JsonValue, path: readonly string[] = []): readonly string[][] {
  if (!isJsonObject(value)) return [[...path]];
  const entries = Object.entries(value).filter(([, below]) => below !== undefined);
  if (entries.length === 0) return path.length === 0 ? [] : [[...path]];
  return entries.flatMap(([key, below]) => leavesOf(below, [...path, key]));
}
