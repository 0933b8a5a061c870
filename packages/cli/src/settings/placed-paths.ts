import { join, resolve } from 'node:path';
import type { JsonObject, JsonValue } from '@forge/core';
import { type Layer, valueAt, withValue } from './layer.ts';
import { modelPaths } from './model-names.ts';

type Place = (path: string) => string;

/** A store is a file unless it has a scheme; `sqlite:` goes on as `openStore` reads it. */
const placeStore = (place: Place, value: JsonValue) =>
  typeof value === 'string' && !/^[a-z][a-z0-9+.-]+:/i.test(value) ? place(value) : value;

const placeFile = (place: Place, value: JsonValue) =>
  typeof value === 'string' ? place(value) : value;

/** A plugin is a folder where it begins with a dot; else it is a package. */
const placeFolders = (place: Place, value: JsonValue) =>
  Array.isArray(value)
    ? value.map((each) => (typeof each === 'string' && /^[.~]/.test(each) ? place(each) : each))
    : value;

const placeModel = (place: Place, value: JsonValue) => {
  const [, kind, path = ''] = /^(local|scripted):(.+)$/s.exec(String(value)) ?? [];
  return kind === undefined ? value : `${kind}:${place(path)}`;
};

/**
 * A layer whose files can be found from anywhere: what it names begins at its own folder, and `~/`
 * at the user's home. So no project decides which file a user's own settings mean.
 */
export function withPlacedPaths(layer: Layer, { home }: { readonly home: string }): Layer {
  const place: Place = (path) =>
    path.startsWith('~/') ? join(home, path.slice(2)) : resolve(layer.folder, path);
  const placed: readonly (readonly [readonly string[], typeof placeFile])[] = [
    [['store'], placeStore],
    [['pipeline'], placeFile],
    [['profiles_dir'], placeFile],
    [['plugins'], placeFolders],
    ...modelPaths(layer.value).map((path) => [path, placeModel] as const),
  ];
  let { value } = layer;
  for (const [path, move] of placed) {
    const said = valueAt(value, path);
    if (said !== undefined) value = withValue(value, path, move(place, said));
  }
  return { ...layer, value };
}

/** Flags whose files can be found from anywhere. */
export function placedFlags(
  flags: JsonObject,
  { cwd, config }: { readonly cwd: string; readonly config: { readonly home: string } },
): JsonObject {
  return withPlacedPaths({ name: 'flag', value: flags, placeOf: String, folder: cwd }, config)
    .value;
}
