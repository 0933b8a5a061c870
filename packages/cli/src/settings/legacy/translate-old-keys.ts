import { type JsonObject, type JsonValue, nearestNames } from '@forge/core';
import { withValue } from '../layer.ts';
import { keyVariableOf } from '../trusted-models.ts';
import { defaultModels, type OldKey, oldKeys, providerKeys } from './agent-forge-keys.ts';

/** One thing the earlier system's file or variables say. */
export interface OldSetting {
  /** `agent`, or `providers.openai`. */
  readonly section: string;
  readonly key: string;
  readonly value: JsonValue;
  /** `agent-forge.toml:7`, or the name of the variable. */
  readonly place: string;
}

export interface Translated {
  readonly value: JsonObject;
  /** Where each path of `value` was said, by its dotted name. */
  readonly places: ReadonlyMap<string, string>;
  /** What was said and has no counterpart, with what to do about it. */
  readonly lost: readonly string[];
}

/** The settings that mean the same. Only what is said: the earlier system's defaults are not ours. */
export function translateOldKeys(said: readonly OldSetting[]): Translated {
  const places = new Map<string, string>();
  const lost: string[] = [];
  let value: JsonObject = {};
  const set = (path: readonly string[], put: JsonValue, place: string) => {
    value = withValue(value, path, put);
    places.set(path.join('.'), place);
  };
  for (const setting of said) {
    const { section, key, place } = setting;
    const known = knownKey(setting);
    if (known === undefined) {
      lost.push(`${place}: ${section}.${key} was not known before either${near(setting)}`);
    } else if (known.instead !== undefined) {
      lost.push(`${place}: ${section}.${key}: ${known.instead}`);
    } else if (known.path !== undefined) {
      const put = known.value === undefined ? setting.value : known.value(setting.value);
      if (put !== undefined) set(known.path, put, place);
    }
  }
  const model = modelOf(said);
  if (model !== undefined) set(['model'], model.name, model.place);
  const queue = queueOf(said);
  if (queue !== undefined) set(['queue'], queue.name, queue.place);
  return { value, places, lost: [...lost, ...otherKeys(said)] };
}

function knownKey({ section, key }: OldSetting): OldKey | undefined {
  if (section.startsWith('providers.'))
    return providerKeys.includes(key) ? { kind: 'text' } : undefined;
  const keys = Object.hasOwn(oldKeys, section) ? oldKeys[section] : undefined;
  return keys !== undefined && Object.hasOwn(keys, key) ? keys[key] : undefined;
}

function near({ section, key }: OldSetting): string {
  const [nearest] = nearestNames(key, Object.keys(oldKeys[section] ?? {}), 1);
  return nearest === undefined ? '' : `: did you mean ${nearest}?`;
}

interface Named {
  readonly name: string;
  readonly place: string;
}

/** `default_provider` and `default_model` as one name. A provider alone means its own model. */
function modelOf(said: readonly OldSetting[]): Named | undefined {
  const find = (section: string, key: string) =>
    said.find((one) => one.section === section && one.key === key && one.value !== '');
  const provider = find('agent', 'default_provider');
  const model = find('agent', 'default_model');
  if (provider === undefined && model === undefined) return undefined;
  const by = provider === undefined ? 'gemini' : String(provider.value).toLowerCase();
  const own = find(`providers.${by}`, 'default_model');
  const name = model?.value ?? own?.value ?? defaultModels[by];
  const place = (model ?? provider)?.place ?? '';
  return { name: name === undefined ? by : `${by}:${String(name)}`, place };
}

function queueOf(said: readonly OldSetting[]): Named | undefined {
  const find = (key: string) => said.find((one) => one.section === 'queue' && one.key === key);
  const backend = find('backend');
  if (backend === undefined) return undefined;
  if (backend.value !== 'redis') {
    const name = backend.value === 'memory' ? 'store' : String(backend.value);
    return { name, place: backend.place };
  }
  const url = find('redis_url');
  return { name: String(url?.value ?? 'redis://localhost:6379/0'), place: (url ?? backend).place };
}

/** Keys are read from the variable each provider is known by; another name has no counterpart. */
function otherKeys(said: readonly OldSetting[]): readonly string[] {
  return said.flatMap(({ section, key, value, place }) => {
    const provider = section.replace(/^providers\./, '');
    if (provider === section || key !== 'api_key_env') return [];
    const usual = keyVariableOf(provider);
    return value === usual || typeof value !== 'string'
      ? []
      : [
          `${place}: the key of ${provider} is read from ${usual}, not from the variable named there`,
        ];
  });
}
