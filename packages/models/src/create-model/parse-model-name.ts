import { ForgeError } from '@forge/core';
import type { Profile } from './profile.ts';
import { profiles } from './profiles.ts';

export interface ModelName {
  readonly provider: string;
  readonly profile: Profile;
  /** Empty where the server has one model and the name was left out. */
  readonly model: string;
  /** As written in the name. */
  readonly baseUrl?: string;
}

const known: ReadonlyMap<string, Profile> = new Map(Object.entries(profiles));

/**
 * Reads `provider:model`, `provider:http://address#model` or, where the server has only one
 * model, `provider:http://address`.
 *
 * @example
 * parseModelName('ollama:qwen3:8b').model; // 'qwen3:8b'
 */
export function parseModelName(name: string): ModelName {
  const colon = name.indexOf(':');
  const provider = colon === -1 ? name : name.slice(0, colon);
  const rest = colon === -1 ? '' : name.slice(colon + 1).trim();
  const profile = known.get(provider);
  if (profile === undefined) {
    throw new ForgeError(
      'invalid_options',
      `"${name}" names no known provider. Write it like ollama:qwen3:8b. Known: ${[...known.keys(), 'local', 'scripted'].join(', ')}.`,
    );
  }
  if (!/^https?:\/\//.test(rest)) {
    return { provider, profile, model: required(rest, name, profile) };
  }
  const hash = rest.indexOf('#');
  const baseUrl = hash === -1 ? rest : rest.slice(0, hash);
  const model = hash === -1 ? '' : rest.slice(hash + 1);
  return { provider, profile, baseUrl, model: required(model, name, profile) };
}

function required(model: string, name: string, { ignoresModelName, baseUrl }: Profile): string {
  if (model !== '' || ignoresModelName) return model;
  const example = baseUrl === undefined ? 'http://127.0.0.1:8000#the-model' : 'the-model';
  const [provider] = name.split(':', 1);
  throw new ForgeError(
    'invalid_options',
    `"${name}" does not say which model. Write it like ${provider}:${example}.`,
  );
}
