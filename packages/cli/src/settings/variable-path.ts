import { isJsonObject, type JsonObject, nearestNames } from '@forge/core';
import { choicesOf, keysOf, schemaNodeAt } from '../project/schema-node.ts';
import { settingsJsonSchema } from './json-schema.ts';
import { valueAt } from './layer.ts';

export const prefix = 'FORGE_';

/** The variable that sets a path: `deploy.target` is FORGE_DEPLOY__TARGET. */
export function variableOf(path: readonly string[]): string {
  return prefix + path.map(asVariable).join('__');
}

/** One step as a variable spells it: `apiKeyEnv` is API_KEY_ENV, `my-agent` is MY_AGENT. */
function asVariable(step: string): string {
  return step
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W/g, '_')
    .toUpperCase();
}

export type FoundPath =
  | { readonly path: readonly string[] }
  /** Nothing of the settings is called so. */
  | { readonly nearest: string | undefined };

/**
 * What a variable sets. Names that are not in the schema (of agents, of servers) are those that
 * `known` has, else the name in small letters.
 */
export function pathOf(variable: string, known: JsonObject): FoundPath {
  const steps = variable.slice(prefix.length).split('__');
  const path: string[] = [];
  for (const [index, step] of steps.entries()) {
    const node = schemaNodeAt(settingsJsonSchema(), path);
    const keys = keysOf(node);
    const key =
      keys.find((each) => asVariable(each) === step) ?? ownName(step, { node, path, known });
    if (key === undefined) {
      const [nearest] = nearestNames(step, keys.map(asVariable), 1);
      const before = [...steps.slice(0, index)];
      return { nearest: nearest && prefix + [...before, nearest].join('__') };
    }
    path.push(key);
  }
  return { path };
}

/** A name of the user's own, where the schema takes any. */
function ownName(
  step: string,
  {
    node,
    path,
    known,
  }: {
    readonly node: JsonObject | undefined;
    readonly path: readonly string[];
    readonly known: JsonObject;
  },
): string | undefined {
  if (step === '' || !takesAnyName(node, path)) return undefined;
  const there = valueAt(known, path);
  const names = isJsonObject(there) ? Object.keys(there) : [];
  return names.find((each) => asVariable(each) === step) ?? step.toLowerCase();
}

/** A block of names, or a place below which anything goes. */
function takesAnyName(node: JsonObject | undefined, path: readonly string[]): boolean {
  if (node === undefined) return path.length > 0;
  return choicesOf(node).some(
    ({ additionalProperties, $ref }) => isJsonObject(additionalProperties) || $ref !== undefined,
  );
}
