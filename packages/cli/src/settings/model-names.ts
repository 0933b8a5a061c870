import { isJsonObject, type JsonObject } from '@forge/core';
import type { Layer } from './layer.ts';
import { valueAt, withValue } from './layer.ts';

/** Names that only one provider has, as the earlier systems wrote them. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^claude-[\w.-]+$/, 'anthropic'],
  [/^(?:gpt-|chatgpt-|o\d)[\w.-]*$/, 'openai'],
  [/^gemini-[\w.-]+$/, 'gemini'],
];

/** `gpt-4o` is `openai:gpt-4o`. Every other name is as it stands. */
export function withProvider(name: string): string {
  const provider = families.find(([family]) => family.test(name))?.[1];
  return provider === undefined ? name : `${provider}:${name}`;
}

/** The paths at which a layer names a model. */
export function modelPaths(value: JsonObject): readonly (readonly string[])[] {
  const agents = valueAt(value, ['agents']);
  const names = isJsonObject(agents) ? Object.keys(agents) : [];
  return [['model'], ...names.map((name) => ['agents', name, 'model'])].filter(
    (path) => typeof valueAt(value, path) === 'string',
  );
}

/** A layer whose models all name their provider, and what was understood for those that did not. */
export function withProviders(layer: Layer): { layer: Layer; notices: readonly string[] } {
  const notices: string[] = [];
  let { value } = layer;
  for (const path of modelPaths(value)) {
    const name = String(valueAt(value, path));
    const full = withProvider(name);
    if (full === name) continue;
    value = withValue(value, path, full);
    notices.push(`${layer.placeOf(path)}: ${name} is understood as ${full}. Write it so.`);
  }
  return { layer: { ...layer, value }, notices };
}
