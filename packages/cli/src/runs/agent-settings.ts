import type { JsonObject } from '@forge/core';
import { profiles } from '@forge/models';
import type { AgentFlags } from '../commands/agent.ts';
import { defaultModels } from '../settings/legacy/agent-forge-keys.ts';
import { withProvider } from '../settings/model-names.ts';
import { UsageError } from '../usage-error.ts';

const backends: Readonly<Record<string, string>> = {
  auto: 'auto',
  docker: 'docker',
  bwrap: 'bubblewrap',
  bubblewrap: 'bubblewrap',
  process: 'process',
};
const unlimited = 1_000;

/** What the flags of `forge agent` say of the settings. */
export function agentSettings(flags: AgentFlags): JsonObject {
  const { sandboxBackend, sandboxImage, network, commandTimeout, maxConcurrentRuns } = flags;
  const { profile, profilesDir, maxIterations } = flags;
  const sandbox: JsonObject = {
    ...(sandboxBackend !== undefined && {
      backend: chosen('--sandbox-backend', sandboxBackend, backends),
    }),
    ...(sandboxImage !== undefined && { image: sandboxImage }),
    ...(network !== undefined && { network: network ? 'full' : 'none' }),
    ...(commandTimeout !== undefined && { command_timeout_s: commandTimeout }),
  };
  const model = namedModel(flags);
  const queue = queueOf(flags);
  return {
    ...(model !== undefined && { model }),
    ...(profile !== undefined && { profile }),
    ...(profilesDir !== undefined && { profiles_dir: profilesDir }),
    ...(maxIterations !== undefined && { agents: { agent: { max_iterations: maxIterations } } }),
    ...(queue !== undefined && { queue }),
    ...(maxConcurrentRuns !== undefined && {
      worker: { concurrency: maxConcurrentRuns === 0 ? unlimited : maxConcurrentRuns },
    }),
    ...(Object.keys(sandbox).length > 0 && { sandbox }),
  };
}

/** A provider and a model make one name; a provider alone means the model it is known for. */
export function namedModel({
  model,
  provider: named,
}: {
  readonly model?: string;
  readonly provider?: string;
}): string | undefined {
  if (named === undefined) return model === undefined ? undefined : withProvider(model);
  const provider = named.toLowerCase();
  const available = [...Object.keys(profiles), 'local', 'scripted'];
  if (!available.includes(provider)) {
    throw new UsageError(`Unknown provider: '${named}'. Available: ${available.join(', ')}`);
  }
  if (model !== undefined) return model.startsWith(`${provider}:`) ? model : `${provider}:${model}`;
  const usual = defaultModels[provider];
  if (usual === undefined) {
    throw new UsageError(`${provider} has no usual model: say which one with --model.`);
  }
  return usual.startsWith(`${provider}:`) ? usual : `${provider}:${usual}`;
}

function queueOf({ queue, redisUrl }: AgentFlags): string | undefined {
  if (queue === undefined) return undefined;
  return chosen('--queue', queue, { memory: 'store', store: 'store', redis: redisUrl });
}

function chosen(flag: string, value: string, choices: Readonly<Record<string, string>>): string {
  const found = Object.hasOwn(choices, value) ? choices[value] : undefined;
  if (found !== undefined) return found;
  throw new UsageError(`${flag} takes one of: ${Object.keys(choices).join(', ')}.`);
}
