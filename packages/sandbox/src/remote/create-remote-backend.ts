import { randomUUID } from 'node:crypto';
import { ForgeError, messageOf } from '@forge/core';
import { checkVariables } from '../checks/check-command.ts';
import { resolveLimits } from '../checks/resolve-limits.ts';
import type { Availability, SandboxBackend, SandboxOptions } from '../sandbox.ts';
import { Attachment } from './attachment.ts';
import { type OrchestratorAddress, OrchestratorClient } from './orchestrator-client.ts';
import { RemoteSandbox } from './remote-sandbox.ts';
import {
  backendSchema,
  createdSchema,
  emptySchema,
  listSchema,
  reapedSchema,
} from './responses.ts';

export interface RemoteBackendOptions extends OrchestratorAddress {
  /** Longest a call about a file or a container may take. Default 10 minutes. */
  readonly callMs?: number;
  /** How long the orchestrator may be out of reach before its sandboxes count as failed. Default 30 s. */
  readonly lostMs?: number;
  readonly now?: () => number;
}

const answerMs = 15_000;

/**
 * Sandboxes on another machine, through its `forge orchestrator`.
 *
 * @example
 * const backend = createRemoteBackend({ address: 'sandboxes.example.org:7070', token, tls: {} });
 */
export function createRemoteBackend(options: RemoteBackendOptions): SandboxBackend {
  const { callMs = 600_000, lostMs = 30_000, now = Date.now } = options;
  const client = new OrchestratorClient(options, randomUUID());
  const sandboxes = new Map<string, RemoteSandbox>();
  const attachment = new Attachment({ client, sandboxes, lostMs, now });
  let closed: Promise<void> | undefined;

  async function start(asked: SandboxOptions = {}): Promise<RemoteSandbox> {
    resolveLimits(asked.limits);
    checkVariables(asked.env ?? {});
    const { signal } = asked;
    if (closed !== undefined) throw new ForgeError('not_running', 'This backend is closed.');
    if (signal?.aborted) throw new ForgeError('cancelled', 'The start was cancelled.');
    attachment.keep();
    const id = randomUUID();
    try {
      const how = { schema: createdSchema, timeoutMs: callMs, signal };
      const created = await client.ask('CreateContainer', requestOf(id, asked), how);
      const { workspace, limits } = created;
      const onEnd = () => void sandboxes.delete(id);
      const sandbox = new RemoteSandbox({ id, workspace, limits, client, callMs, now, onEnd });
      sandboxes.set(id, sandbox);
      if (closed !== undefined || signal?.aborted) {
        await sandbox.stop();
        throw new ForgeError('cancelled', 'The start was cancelled.');
      }
      return sandbox;
    } catch (error) {
      // It may stand there all the same, if only the answer was lost.
      const how = { schema: emptySchema, timeoutMs: answerMs };
      client.ask('DestroyContainer', { containerId: id }, how).catch(() => {});
      throw error;
    }
  }

  async function probe(signal?: AbortSignal): Promise<Availability> {
    try {
      const how = { schema: backendSchema, timeoutMs: answerMs, signal };
      const { available, name, version, cannot, problem, fix } = await client.ask(
        'GetBackend',
        {},
        how,
      );
      if (!available) return { available, problem, fix };
      return { available, version: `${name} ${version} at ${options.address}`, cannot };
    } catch (error) {
      const fix = ForgeError.is(error, 'not_allowed')
        ? 'Give a token it knows: --token-file, or FORGE_ORCHESTRATOR_TOKEN.'
        : `Start it there: forge orchestrator --listen ${options.address}. If it has TLS, name the authority to trust (--tls-ca).`;
      return { available: false, problem: messageOf(error), fix };
    }
  }

  return {
    name: 'remote',
    start,
    probe,
    async list() {
      const how = { schema: listSchema, timeoutMs: answerMs };
      return (await client.ask('ListContainers', {}, how)).containers;
    },
    async reap() {
      const how = { schema: reapedSchema, timeoutMs: callMs };
      return (await client.ask('ReapContainers', {}, how)).removed;
    },
    close() {
      closed ??= (async () => {
        await Promise.all([...sandboxes.values()].map((sandbox) => sandbox.stop()));
        await attachment.close();
        client.close();
      })();
      return closed;
    },
  };
}

function requestOf(containerId: string, asked: SandboxOptions): object {
  const { image = '', limits = {}, network, env = {}, labels = {}, caches = [] } = asked;
  return {
    ...{ containerId, image, limits, env, labels, caches },
    ...(network && {
      network: {
        type: network.type.toUpperCase(),
        hosts: network.type === 'allow' ? network.hosts : [],
      },
    }),
  };
}
