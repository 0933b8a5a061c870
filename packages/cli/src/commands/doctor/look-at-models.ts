import { messageOf } from '@forge/core';
import { createModel, parseModelName, profiles } from '@forge/models';
import type { Config } from '../../config.ts';
import type { Settings } from '../../settings/settings-schema.ts';
import { askBackend } from '../proxy/ask-backend.ts';
import { findServers } from '../proxy/find-servers.ts';
import { serverKinds } from '../proxy/server-kinds.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Every model the settings name, each once. */
export function modelsOf({ model, agents, router }: Settings): readonly string[] {
  const named = [model, ...Object.values(agents).map((agent) => agent.model)];
  const weighed = Object.values(router.weights).flatMap((models) =>
    Object.entries(models).flatMap(([name, weight]) => (weight > 0 ? [name] : [])),
  );
  return [...new Set([...named, ...weighed].filter((name) => name !== undefined))];
}

/** Models can be made and their keys are there; servers of one's own are asked. No key is used. */
export async function lookAtModels(
  settings: Settings,
  { config, signal }: { readonly config: Config; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  const names = modelsOf(settings);
  const [found, ...local] = await Promise.all([
    findServers({ ...(config.backendAddresses && { addresses: config.backendAddresses }), signal }),
    ...names.map((name) => lookAtModel(name, { config, signal })),
  ]);
  const servers = found.map(({ kind, url, models }) => {
    const [first = ''] = models;
    const example = first === '' ? '' : `; model: ${serverKinds[kind].provider}:${first}`;
    return ok(`server ${url}`, `${serverKinds[kind].label}, ${models.length} models${example}`);
  });
  return [
    ...(names.length === 0 ? [noModel(found.length)] : local),
    ...servers,
    ...keysFound(config),
  ];
}

function noModel(servers: number): Finding {
  const fix =
    servers > 0
      ? 'Set model in forge.yaml or FORGE_MODEL, such as the one of the server below.'
      : 'Set model in forge.yaml or FORGE_MODEL, such as ollama:qwen3:8b or anthropic:claude-sonnet-4-5.';
  return warn('model', 'no model is set', fix);
}

async function lookAtModel(
  name: string,
  { config, signal }: { readonly config: Config; readonly signal: AbortSignal },
): Promise<Finding> {
  const row = `model ${name.replace(/(https?:\/\/)[^/@#]*@/, '$1')}`;
  try {
    createModel(name, { readVariable: config.variable });
    if (/^(?:local|scripted):/.test(name)) return ok(row, 'is a file, and is there');
    const { profile, model, provider, baseUrl } = parseModelName(name);
    if (profile.needsKey) return ok(row, `${profile.keyVariable} is set`);
    const moved = profile.baseUrlVariable && config.variable(profile.baseUrlVariable);
    const url = baseUrl ?? withScheme(moved) ?? profile.baseUrl ?? '';
    const { reachable, models } = await askBackend({ url, signal });
    if (!reachable) {
      const start =
        provider === 'ollama' ? 'Run "ollama serve".' : 'Start it: forge backend start.';
      return fail(row, `nothing answers at ${url}`, start);
    }
    const isThere = model === '' || models.length === 0 || models.some((one) => isSame(one, model));
    if (isThere) return ok(row, `${url} answers`);
    const pull =
      provider === 'ollama'
        ? `Run "ollama pull ${model}".`
        : `It has: ${models.slice(0, 5).join(', ')}.`;
    return fail(row, `${url} has no such model`, pull);
  } catch (error) {
    signal.throwIfAborted();
    return fail(row, messageOf(error));
  }
}

const withScheme = (host: string | undefined) =>
  host === undefined || /^https?:\/\//.test(host) ? host : `http://${host}`;

/** Ollama lists `qwen3:latest` for what is asked for as `qwen3`. */
const isSame = (listed: string, asked: string) => listed === asked || listed === `${asked}:latest`;

/** The names of the variables that hold keys; never what they hold. */
function keysFound({ variable }: Config): readonly Finding[] {
  const names = Object.values(profiles).flatMap((profile) =>
    'needsKey' in profile && profile.needsKey ? [profile.keyVariable] : [],
  );
  const set = [...new Set(names)].filter((name) => variable(name) !== undefined);
  return [
    ok('keys', set.length === 0 ? 'no variable of a provider is set' : `set: ${set.join(', ')}`),
  ];
}
