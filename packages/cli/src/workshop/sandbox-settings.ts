import { ForgeError } from '@forge/core';
import type { SandboxBackend, SandboxOptions } from '@forge/sandbox';
import { makers } from '../commands/sandbox/makers.ts';
import type { Settings } from '../settings/settings-schema.ts';

type SandboxSettings = Settings['sandbox'];

/** The sandbox of the project; the first that works here where it says `auto`. */
export async function projectBackend(
  { backend, network }: SandboxSettings,
  signal?: AbortSignal,
): Promise<SandboxBackend> {
  if (backend === 'process' && network !== 'full') {
    throw new ForgeError(
      'invalid_options',
      'Plain processes cannot be held back from the network. If you trust all that will run, say so: sandbox.network: full (or --network); else set sandbox.backend to auto.',
    );
  }
  const { chooseBackend } = await import('@forge/sandbox');
  return chooseBackend(backend, await makers(), signal);
}

export const processNotice =
  'Commands run as plain processes of yours: nothing holds them. For a sandbox, set sandbox.backend to docker or bubblewrap.';

export function sandboxOptions(settings: SandboxSettings): SandboxOptions {
  const { network, image, cpus, memory_mb, command_timeout_s } = settings;
  return {
    network:
      typeof network === 'string' ? { type: network } : { type: 'allow', hosts: [...network] },
    limits: {
      ...(cpus !== undefined && { cpus }),
      ...(memory_mb !== undefined && { memoryBytes: memory_mb * 1024 * 1024 }),
      ...(command_timeout_s !== undefined && { timeMs: command_timeout_s * 1000 }),
    },
    ...(image !== undefined && { image }),
  };
}
