import { isJsonObject, type JsonObject } from '@forge/core';
import type { Config } from '../config.ts';
import { type Layer, valueAt } from './layer.ts';
import { modelPaths } from './model-names.ts';

/** The variable a provider's key is in. The same as in `@forge/models`, which is slow to load. */
export function keyVariableOf(provider: string): string {
  if (provider === 'llamacpp') return 'LLAMA_API_KEY';
  const name = provider === 'openai-responses' ? 'openai' : provider;
  return `${name.replaceAll('-', '_').toUpperCase()}_API_KEY`;
}

/**
 * Keys of this user that would be sent to an address only a project's file names. Such a file comes
 * with a repository somebody cloned; the same name in the user's own file, in a variable or behind a
 * flag says that it is meant. Servers on this machine are no danger.
 */
export function strayKeys(
  layers: readonly Layer[],
  { variable }: Pick<Config, 'variable'>,
): readonly string[] {
  const meant = new Set(
    layers.filter(({ name }) => name !== 'project').flatMap(({ value }) => namesIn(value)),
  );
  return layers
    .filter(({ name }) => name === 'project')
    .flatMap(({ value, placeOf }) =>
      namesWithPaths(value)
        .filter(({ name }) => !meant.has(name))
        .flatMap(({ name, path }) => {
          const colon = name.indexOf(':');
          const host = URL.parse(name.slice(colon + 1).trim())?.hostname ?? '';
          if (host === '' || isHere(host)) return [];
          const key = keyVariableOf(name.slice(0, colon));
          if (variable(key) === undefined) return [];
          return [
            `${placeOf(path)}: ${path.join('.')} would send your ${key} to ${host}. If that is meant, name the model in your own config.yaml or with --model.`,
          ];
        }),
    );
}

function namesIn(value: JsonObject): readonly string[] {
  return namesWithPaths(value).map(({ name }) => name);
}

function namesWithPaths(
  value: JsonObject,
): readonly { readonly name: string; readonly path: readonly string[] }[] {
  const named = modelPaths(value).map((path) => ({ name: String(valueAt(value, path)), path }));
  const weights = valueAt(value, ['router', 'weights']);
  const weighed = Object.entries(isJsonObject(weights) ? weights : {}).flatMap(([task, models]) =>
    Object.keys(isJsonObject(models) ? models : {}).map((name) => ({
      name,
      path: ['router', 'weights', task, name],
    })),
  );
  return [...named, ...weighed];
}

function isHere(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}
