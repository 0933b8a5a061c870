import type { Agent, Model } from '@forge/core';
import type { Lease, Store } from '@forge/store';
import { RunSession } from '../../src/session/run-session.ts';
import type { InterruptedPolicy, StopPoint } from '../../src/session/session-host.ts';

export interface Crash {
  readonly point: StopPoint;
  /** The so-manieth time any session passes it. */
  readonly times: number;
}

export interface MortalWorkerOptions {
  readonly agents: readonly Agent[];
  readonly model: Model;
  readonly now: () => number;
  readonly interrupted: InterruptedPolicy;
  readonly crash?: Crash | undefined;
  /** Called at every named point, while it lives. */
  readonly onPoint?: (point: StopPoint) => Promise<void>;
}

const mostRounds = 100;
const never = new Promise<never>(() => {});

/**
 * A worker whose death can be told to the instant: from then on nothing of it goes on, and nothing
 * it would do reaches the store, as if its process were killed. Its promises are left hanging.
 */
export class MortalWorker {
  readonly #store: Store;
  readonly #options: MortalWorkerOptions;
  readonly #died = Promise.withResolvers<void>();
  readonly #sessions = new Map<string, RunSession>();
  #passed = 0;
  isAlive = true;

  constructor(store: Store, options: MortalWorkerOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Works on all that is due until nothing is, or until it dies. */
  async work(ttl: number): Promise<'rests' | 'died'> {
    const unsubscribe = this.#store.onWake((ids) => {
      for (const [id, session] of this.#sessions) if (ids?.includes(id) ?? true) session.poke();
    });
    try {
      for (let round = 0; this.isAlive; round += 1) {
        if (round > mostRounds) throw new Error('What is due is due again and again.');
        const leases = await this.#store.claim({ owner: 'mortal', ttl, limit: 100 });
        if (leases.length === 0) return 'rests';
        await Promise.race([
          Promise.all(leases.map((lease) => this.#workOn(lease))),
          this.#died.promise,
        ]);
      }
      return 'died';
    } finally {
      unsubscribe();
    }
  }

  async #workOn(lease: Lease) {
    const { agents, model, now, interrupted } = this.#options;
    const session = await RunSession.open(
      {
        store: this.#mortal(),
        agent: (name) => agents.find((agent) => agent.name === name),
        model: () => model,
        rules: { judge: async () => undefined },
        now,
        interrupted,
        stopAt: (point) => this.#stopAt(point),
      },
      lease,
    );
    this.#sessions.set(lease.run.id, session);
    await session.work();
    this.#sessions.delete(lease.run.id);
  }

  async #stopAt(point: StopPoint) {
    if (!this.isAlive) return never;
    const { crash, onPoint } = this.#options;
    if (point === crash?.point) {
      this.#passed += 1;
      if (this.#passed === crash.times) {
        this.isAlive = false;
        this.#died.resolve();
        return never;
      }
    }
    await onPoint?.(point);
  }

  /** The store for as long as it lives. */
  #mortal(): Store {
    return new Proxy(this.#store, {
      get: (store, name: keyof Store) => {
        const method: unknown = store[name];
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => (this.isAlive ? Reflect.apply(method, store, args) : never);
      },
    });
  }
}
