import { ForgeError } from '@forge/core';
import { resolveLimits } from '../checks/resolve-limits.ts';
import {
  defaultLimits,
  type Network,
  type SandboxLimits,
  type SandboxOptions,
} from '../sandbox.ts';
import type { CreateRequest } from './requests.ts';

/** What callers may ask for. Whatever it does not let through is refused, never quietly changed. */
export interface OrchestratorPolicy {
  /** Containers of all callers together. */
  readonly containers: number;
  /** Containers of one token, or of one address where there is no token. */
  readonly containersPerClient: number;
  /** The most each container may have. */
  readonly limits: SandboxLimits;
  readonly networks: readonly Network['type'][];
  /** Images containers may be made of: names, or beginnings such as `forge/*`. Default: any. */
  readonly images: readonly string[] | undefined;
  /** Whether caches may be used. They are shared by all callers. */
  readonly caches: boolean;
  /** How long a container lives whose caller is gone. */
  readonly idleMs: number;
  /** How long after its connection broke a caller counts as alive for `ReapContainers`. */
  readonly reattachMs: number;
  /** Longest message, so also the longest stdin of a command. */
  readonly messageBytes: number;
  /** Largest file that is written at once. */
  readonly fileBytes: number;
  /** Largest context of an image. */
  readonly contextBytes: number;
  /** Whether steps of a build may use the network. */
  readonly buildNetwork: boolean;
  /** Longest an image may take to build or push. */
  readonly imageMs: number;
  /** Registries images may be pushed to, such as `registry.example.org`. */
  readonly registries: readonly string[];
}

export const defaultPolicy: OrchestratorPolicy = {
  containers: 64,
  containersPerClient: 32,
  limits: {
    ...defaultLimits,
    cpus: 4,
    memoryBytes: 4 * 1024 ** 3,
    pids: 2048,
    diskBytes: 4 * 1024 ** 3,
    outputBytes: 64 * 1024 ** 2,
    timeMs: 3_600_000,
    commands: 32,
  },
  networks: ['none', 'allow'],
  images: undefined,
  caches: false,
  idleMs: 600_000,
  reattachMs: 5_000,
  messageBytes: 32 * 1024 ** 2,
  fileBytes: 256 * 1024 ** 2,
  contextBytes: 256 * 1024 ** 2,
  buildNetwork: false,
  imageMs: 1_800_000,
  registries: [],
};

/** A request as the options of a sandbox, or a refusal that says what is allowed. */
export function optionsFor(request: CreateRequest, policy: OrchestratorPolicy): SandboxOptions {
  const { image, env, labels, caches } = request;
  if (image !== '') checkName(image, policy.images);
  if (caches.length > 0 && !policy.caches) {
    throw refusal('Caches are shared by all callers of this orchestrator, and are switched off.');
  }
  const network = networkOf(request, policy);
  return {
    limits: limitsWithin(request.limits ?? {}, policy.limits),
    ...(network && { network }),
    env,
    labels,
    ...(image === '' ? {} : { image }),
    ...(caches.length === 0 ? {} : { caches }),
  };
}

function limitsWithin(asked: Partial<SandboxLimits>, most: SandboxLimits): SandboxLimits {
  const limits = resolveLimits(asked);
  const kept: Record<keyof SandboxLimits, number> = { ...limits };
  for (const name of Object.keys(kept)) {
    if (!isLimit(name)) continue;
    if (kept[name] <= most[name]) continue;
    if (asked[name] !== undefined) {
      throw refusal(
        `limits.${name} is ${kept[name]}; this orchestrator allows up to ${most[name]}.`,
      );
    }
    kept[name] = most[name]; // The default, of which nobody said anything.
  }
  return kept;
}

function isLimit(name: string): name is keyof SandboxLimits {
  return Object.hasOwn(defaultLimits, name);
}

/** Left out, it is what the backend gives by itself: none, where it can hold that. */
function networkOf(
  { network }: CreateRequest,
  { networks }: OrchestratorPolicy,
): Network | undefined {
  if (network === null) return undefined;
  const { type, hosts } = network;
  const wanted: Network =
    type === 'ALLOW' ? { type: 'allow', hosts } : { type: type === 'FULL' ? 'full' : 'none' };
  if (!networks.includes(wanted.type)) {
    throw refusal(`Network "${wanted.type}" is not allowed here. Allowed: ${networks.join(', ')}.`);
  }
  return wanted;
}

/** Exact, or a beginning before `*`. */
function checkName(image: string, allowed: readonly string[] | undefined): void {
  if (allowed === undefined) return;
  const fits = allowed.some((rule) =>
    rule.endsWith('*') ? image.startsWith(rule.slice(0, -1)) : image === rule,
  );
  if (!fits) throw refusal(`Image ${image} is not allowed here. Allowed: ${allowed.join(', ')}.`);
}

function refusal(message: string): ForgeError {
  return new ForgeError('not_allowed', message);
}
