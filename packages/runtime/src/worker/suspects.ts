import { ForgeError } from '@forge/core';
import type { Lease, Store } from '@forge/store';

/** Strikes in a row after which a run is a suspect. Fewer are ordinary: a deploy, a full memory. */
export const suspectFrom = 3;
/** Milliseconds between two suspects that come one after the other. */
const apart = 100;

export function isSuspect({ run }: Lease): boolean {
  return run.strikes >= suspectFrom;
}

/**
 * A worker that dies strikes all its runs, and nobody can say which of them killed it. So a worker
 * works on one suspect at a time, until that one gets somewhere. The innocent are cleared by it; only
 * the one that kills goes on collecting strikes, and all that is beside it becomes suspect at most.
 */
export class Suspects {
  readonly #store: Store;
  readonly #restFor: number;
  #current: Lease | undefined;

  /** `restFor`: milliseconds before a suspect that finds the place taken tries again. */
  constructor(store: Store, { restFor }: { readonly restFor: number }) {
    this.#store = store;
    this.#restFor = restFor;
  }

  /**
   * The one to work on now; none if there is one already. The others are given back, and that is on
   * disk when this resolves: what the worker may die of next does not strike them.
   */
  async choose(suspects: readonly Lease[]): Promise<Lease | undefined> {
    if (suspects.length === 0) return undefined;
    const isFree = this.#current === undefined;
    const chosen = isFree ? suspects[0] : undefined;
    const later = isFree ? suspects.slice(1) : suspects;
    const rest = isFree ? 0 : this.#restFor;
    await Promise.all(
      later.map((lease, place) => this.#postpone(lease, rest + apart * (place + 1))),
    );
    if (chosen !== undefined) this.#current = chosen;
    return chosen;
  }

  /** It got somewhere, or is not worked on any more. Nothing to do for one that was not chosen. */
  done(lease: Lease): void {
    if (this.#current === lease) this.#current = undefined;
  }

  async #postpone({ run, fence }: Lease, delay: number): Promise<void> {
    try {
      await this.#store.postpone({ runId: run.id, fence, delay });
    } catch (error) {
      if (!ForgeError.is(error, 'lease_lost')) throw error;
    }
  }
}
