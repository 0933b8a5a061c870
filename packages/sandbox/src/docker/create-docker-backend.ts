import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import type Docker from 'dockerode';
import { ShellSandbox } from '../channel/shell-sandbox.ts';
import { checkVariables } from '../checks/check-command.ts';
import { resolveLimits } from '../checks/resolve-limits.ts';
import { parseHostRule } from '../egress/host-rules.ts';
import { checkImageName } from '../images/image-name.ts';
import { type DockerAddress, loadDocker } from '../images/load-docker.ts';
import { reapFirst } from '../owner/reap-first.ts';
import type { Sandbox, SandboxBackend, SandboxInfo, SandboxOptions } from '../sandbox.ts';
import { cacheVariables, checkCacheNames, ensureCaches } from './caches.ts';
import type { Engine } from './create-container.ts';
import { isWorthRetrying, startFailure } from './docker-failure.ts';
import { dockerGround } from './docker-ground.ts';
import { inTime } from './in-time.ts';
import { readLabels, writeLabels } from './labels.ts';
import { Leftovers } from './leftovers.ts';
import { probeDocker } from './probe-docker.ts';
import { removeContainer } from './remove-container.ts';
import { startContainer } from './start-container.ts';

export interface DockerBackendOptions extends DockerAddress {
  /** For sandboxes that name none. Default `forge/base:latest`, see `forge sandbox build`. */
  readonly image?: string;
  /** Another runtime of the daemon's, such as `runsc` (gVisor). */
  readonly runtime?: string;
  /** How often a start is tried, and the milliseconds between. Default 3 times, 5 s apart. */
  readonly attempts?: number;
  readonly retryMs?: number;
  /** The most the daemon may take to make a container, and again to start it. Default 60 s. */
  readonly createMs?: number;
  /** The most it may take to remove one, and to answer what it is asked. Default 30 s. */
  readonly removeMs?: number;
}

/**
 * Sandboxes in Docker containers that are hardened by default, see `containerOptions`. Nothing is
 * asked of the daemon before the first use, and the first start removes what dead processes left.
 *
 * @example
 * const docker = createDockerBackend({ image: 'forge/node:latest' });
 * const sandbox = await docker.start({ limits: { cpus: 2 } });
 * const { exitCode } = await sandbox.exec({ argv: ['npm', 'test'] }).result;
 */
export function createDockerBackend(options: DockerBackendOptions = {}): SandboxBackend {
  return reapFirst(new DockerBackend(options));
}

class DockerBackend implements SandboxBackend {
  readonly name = 'docker';
  readonly #options: DockerBackendOptions;
  readonly #image: string;
  readonly #sandboxes = new Set<ShellSandbox>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #closed = new AbortController();
  /** Volumes that belong to the commands' user by now. */
  readonly #caches = new Set<string>();
  readonly #leftovers = new Leftovers();
  readonly #removeMs: number;
  #docker: Promise<Docker> | undefined;

  constructor(options: DockerBackendOptions) {
    this.#options = options;
    this.#removeMs = options.removeMs ?? 30_000;
    this.#image = checkImageName(options.image ?? 'forge/base:latest');
  }

  async probe(signal?: AbortSignal) {
    return probeDocker(await this.#client(), { image: this.#image, signal });
  }

  async start(options: SandboxOptions = {}): Promise<Sandbox> {
    const starting = this.#start(options);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async list(): Promise<readonly SandboxInfo[]> {
    const here = new Map([...this.#sandboxes].map((sandbox) => [sandbox.id, sandbox]));
    return (await this.#containers()).flatMap(({ about, running, startedAt }) => {
      if (about.owner === 'dead') return [];
      const state = here.get(about.id)?.state() ?? (running ? 'running' : 'failed');
      return [{ id: about.id, state, startedAt, labels: about.labels }];
    });
  }

  async reap(): Promise<readonly string[]> {
    const docker = await this.#client();
    const left = (await this.#containers()).filter(({ about }) => about.owner === 'dead');
    await Promise.all(
      left.map(({ container }) => removeContainer(docker.getContainer(container), this.#removeMs)),
    );
    return left.map(({ about }) => `container of sandbox ${about.id}, whose process is dead`);
  }

  async close(): Promise<void> {
    this.#closed.abort(new ForgeError('not_running', 'The Docker backend is closed.'));
    await Promise.allSettled(this.#starting);
    const stops = await Promise.allSettled([...this.#sandboxes].map((sandbox) => sandbox.stop()));
    await this.#leftovers.close(this.#removeMs);
    for (const stop of stops) if (stop.status === 'rejected') throw stop.reason;
  }

  async #start(options: SandboxOptions): Promise<ShellSandbox> {
    const { network = { type: 'none' }, caches = [], env = {} } = options;
    if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
    const limits = resolveLimits(options.limits);
    checkVariables(env);
    checkCacheNames(caches);
    if (network.type === 'allow') network.hosts.map(parseHostRule);
    const id = randomBytes(8).toString('hex');
    const image = checkImageName(options.image ?? this.#image);
    const labels = writeLabels(id, options.labels);
    const slot: { sandbox?: ShellSandbox } = {};
    const { runtime } = this.#options;
    const started = await this.#tried(options, image, async (engine, signal) =>
      startContainer({
        engine,
        image,
        limits,
        network,
        labels,
        caches: await ensureCaches(engine, caches, { image, given: this.#caches, labels, signal }),
        env: { ...cacheVariables(caches), ...env },
        ...(runtime === undefined ? {} : { runtime }),
        onBroken: (problem) => slot.sandbox?.endAlone('failed', problem),
        signal,
      }),
    );
    const ground = dockerGround(started, () => void this.#sandboxes.delete(sandbox));
    const sandbox: ShellSandbox = new ShellSandbox({ id, limits, ground });
    slot.sandbox = sandbox;
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  /** Tries again where that may help; a daemon under load fails now and then. */
  async #tried<Result>(
    { signal: given }: SandboxOptions,
    image: string,
    work: (engine: Engine, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { attempts = 3, retryMs = 5_000 } = this.#options;
    const signal = AbortSignal.any([this.#closed.signal, ...(given === undefined ? [] : [given])]);
    for (let attempt = 1; ; attempt++) {
      try {
        signal.throwIfAborted();
        return await work(await this.#engine(), signal);
      } catch (error) {
        if (given?.aborted) throw new ForgeError('cancelled', 'The start was cancelled.');
        if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
        if (attempt >= attempts || !isWorthRetrying(error)) {
          throw startFailure(error, { image, attempts: attempt });
        }
        await delay(retryMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #containers() {
    const docker = await this.#client();
    const filters = { label: ['forge.sandbox'] };
    const limit = { ms: this.#removeMs, what: 'list its containers' };
    const all = await inTime(limit, (abortSignal) =>
      docker.listContainers({ all: true, filters, abortSignal }),
    );
    return all.flatMap((found) => {
      const about = readLabels(found.Labels);
      const { Id: container, State, Created } = found;
      if (about === undefined) return [];
      return [{ about, container, running: State === 'running', startedAt: Created * 1000 }];
    });
  }

  async #engine(): Promise<Engine> {
    const { createMs = 60_000 } = this.#options;
    const [leftovers, removeMs] = [this.#leftovers, this.#removeMs];
    return { docker: await this.#client(), leftovers, createMs, removeMs };
  }

  #client(): Promise<Docker> {
    this.#docker ??= loadDocker(this.#options);
    return this.#docker;
  }
}
