import { evolve, ForgeError, initialState, type RunEvent } from '@forge/core';
import type { BrokenEvent, Store } from '@forge/store';
import type { RunView } from './runtime.ts';
import { statusOf } from './status-of.ts';

const page = 500;

/** Reads a run as often as it is asked to; each time only what is new in its log. */
export class RunReader {
  readonly #store: Store;
  readonly #runId: string;
  #state = initialState;

  constructor(store: Store, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /**
   * The run with its state, at its end or after event `at`, which must not be before one that was
   * asked for. The row and the state are of the same moment, whatever is written meanwhile.
   */
  async read(at = Number.POSITIVE_INFINITY): Promise<RunView> {
    const run = await this.#store.run(this.#runId);
    if (run === undefined) {
      throw new ForgeError('not_found', `There is no run "${this.#runId}".`);
    }
    const last = Math.min(at, run.seq);
    while (this.#state.seq < last) {
      const limit = Math.min(page, last - this.#state.seq);
      const events = await this.#store.events(this.#runId, { after: this.#state.seq, limit });
      if (events.length === 0) break;
      for (const event of events) this.#state = evolve(this.#state, this.#sound(event));
    }
    const state = this.#state;
    return { run, state, status: statusOf(state) };
  }

  #sound(event: RunEvent | BrokenEvent): RunEvent {
    if (!('broken' in event)) return event;
    throw new ForgeError(
      'invalid_event',
      `Event ${event.seq} of run ${this.#runId} cannot be read: ${event.broken}`,
    );
  }
}
