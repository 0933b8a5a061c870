import { isDeepStrictEqual } from 'node:util';
import { ForgeError } from '@forge/core';
import type { Sandbox, SandboxBackend, SandboxInfo, SandboxOptions } from '../sandbox.ts';
import { WarmShelf } from './warm-shelf.ts';

type Labels = Readonly<Record<string, string>>;

export interface PoolOptions {
  /** Sandboxes that are kept ready. Default 2. */
  readonly size?: number;
  /** What they are started with. Who asks for something else gets a fresh one. */
  readonly options?: Omit<SandboxOptions, 'signal' | 'labels'>;
  /** Milliseconds after which one that nobody took is replaced. Default: half of its life, one hour at most. */
  readonly freshMs?: number;
  /** Milliseconds before a start that failed is tried again; each further wait is twice as long, up to a minute. Default 1000. */
  readonly retryMs?: number;
}

/** A backend with sandboxes that are started already. */
export interface SandboxPool extends SandboxBackend {
  /** How many can be had at once. */
  ready(): number;
  /** Settles once the pool is full, or its filling has failed for now: then with the error. */
  filled(): Promise<void>;
}

/**
 * Keeps sandboxes of a backend started, so that one can be had in no time. Each is given out once;
 * others are started in the background. Closing it closes the backend.
 *
 * @example
 * const pool = createPool(createDockerBackend(), { size: 3 });
 * const sandbox = await pool.start({ labels: { run: 'r1' } }); // Warm, if one is ready.
 */
export function createPool(backend: SandboxBackend, pool: PoolOptions = {}): SandboxPool {
  const { size = 2, options = {}, retryMs = 1_000 } = pool;
  if (!Number.isInteger(size) || size < 0) {
    throw new ForgeError(
      'invalid_options',
      `The size of a pool is ${size}. It takes a whole number.`,
    );
  }
  const lifetimeMs = options.limits?.lifetimeMs ?? 24 * 3_600_000;
  const freshMs = pool.freshMs ?? Math.min(lifetimeMs / 2, 3_600_000);
  const start = (signal: AbortSignal) => backend.start({ ...options, signal });
  const shelf = new WarmShelf({ size, freshMs, retryMs, start });
  /** Given to those that were started before anybody knew whose they would be. */
  const owned = new Map<string, { readonly sandbox: Sandbox; readonly labels: Labels }>();

  return {
    name: backend.name,
    ready: () => shelf.ready(),
    filled: () => shelf.filled(),
    probe: (signal) => backend.probe(signal),
    reap: () => backend.reap(),
    async start(asked: SandboxOptions = {}) {
      const { signal, labels: given, ...rest } = asked;
      if (signal?.aborted) throw new ForgeError('cancelled', 'The start was cancelled.');
      const warm = isDeepStrictEqual(withoutUndefined(rest), withoutUndefined(options))
        ? shelf.take()
        : undefined;
      if (warm === undefined) return backend.start(asked);
      for (const [id, { sandbox }] of owned) if (sandbox.state() !== 'running') owned.delete(id);
      if (given !== undefined) owned.set(warm.id, { sandbox: warm, labels: given });
      return warm;
    },
    async list() {
      const waiting = shelf.ids();
      return (await backend.list()).flatMap((info): SandboxInfo[] =>
        waiting.has(info.id)
          ? []
          : [{ ...info, labels: { ...info.labels, ...owned.get(info.id)?.labels } }],
      );
    },
    async close() {
      await shelf.close();
      await backend.close();
    },
  };
}

function withoutUndefined(options: SandboxOptions): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
