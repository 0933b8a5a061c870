import type { Lease, Store } from '@forge/store';

/** Leases that one worker took and another works under: what it claims is what it is handed. */
export class HandedLeases {
  readonly #waiting: Lease[] = [];
  readonly #listeners = new Set<(runIds: readonly string[]) => void>();

  get waiting(): number {
    return this.#waiting.length;
  }

  hand(lease: Lease): void {
    this.#waiting.push(lease);
    for (const listener of this.#listeners) listener([lease.run.id]);
  }

  /** The store for the worker that is handed them. */
  readonly view = (store: Store): Store => ({
    ...store,
    claim: async ({ limit }) => this.#waiting.splice(0, limit),
    onWake: (listener) => {
      const off = store.onWake(listener);
      this.#listeners.add(listener);
      return () => {
        off();
        this.#listeners.delete(listener);
      };
    },
  });
}
