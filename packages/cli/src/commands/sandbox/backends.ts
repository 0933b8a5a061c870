import { readFileSync } from 'node:fs';
import type { SandboxBackend } from '@forge/sandbox';
import { Option } from 'commander';
import type { Config } from '../../config.ts';
import type { CommandContext } from '../../context.ts';
import { UsageError } from '../../usage-error.ts';
import { makers } from './makers.ts';

export const backendNames = ['docker', 'bubblewrap', 'process', 'memory', 'remote'] as const;
export type BackendName = (typeof backendNames)[number];

export interface BackendFlags {
  readonly backend: BackendName | 'auto';
  readonly orchestrator?: string;
  readonly tokenFile?: string;
  readonly tlsCa?: string;
}

/** Which backend, and where it is if it is not here. */
export const backendOptions: readonly Option[] = [
  new Option('--backend <name>', 'what holds the sandbox')
    .choices(['auto', ...backendNames])
    .default('auto'),
  new Option('--orchestrator <address>', 'with --backend remote: host:port of forge orchestrator'),
  new Option('--token-file <path>', 'with --backend remote: a file with the token'),
  new Option('--tls-ca <path>', 'with --backend remote: the authority to trust, in PEM'),
];

/** Makes one that works here. Whoever asked closes it. */
export async function openBackend(
  flags: BackendFlags,
  { config, signal }: Pick<CommandContext, 'config' | 'signal'>,
): Promise<SandboxBackend> {
  const { chooseBackend } = await import('@forge/sandbox');
  const remote = () => openRemote(flags, config);
  return await chooseBackend(flags.backend, { ...(await makers()), remote }, signal);
}

async function openRemote(flags: BackendFlags, { variable }: Config): Promise<SandboxBackend> {
  const address = flags.orchestrator ?? variable('FORGE_ORCHESTRATOR');
  if (address === undefined) {
    throw new UsageError('Where is the orchestrator? Write --orchestrator HOST:PORT.');
  }
  const { createRemoteBackend } = await import('@forge/sandbox/remote');
  const { tokenFile, tlsCa } = flags;
  const token =
    tokenFile === undefined ? variable('FORGE_ORCHESTRATOR_TOKEN') : readToken(tokenFile);
  return createRemoteBackend({
    address,
    ...(token !== undefined && { token }),
    ...(tlsCa !== undefined && { tls: { ca: readPem(tlsCa) } }),
  });
}

export function readToken(path: string): string {
  const token = readPem(path).toString('utf8').trim();
  if (token === '') throw new UsageError(`${path} is empty. Write a token into it.`);
  return token;
}

export function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new UsageError(`${path} cannot be read: ${message}`);
  }
}
