import { setTimeout as delay } from 'node:timers/promises';

/** How long somebody whose start failed waits for what is left of it to be gone. */
const graceMs = 1_000;

/** What is being removed with nobody waiting for it: the daemon may take long, or never answer. */
export class Leftovers {
  readonly #removals = new Set<Promise<void>>();
  readonly #cut = new AbortController();

  /** Aborts when nothing is waited for any more. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  /** Sees to the end of a removal. Resolves with it, or a moment later: a failed start is not held up. */
  async add(removal: Promise<unknown>): Promise<void> {
    const done = removal.then(
      () => {},
      () => {}, // Its labels say whose it is: it is reaped when we are dead.
    );
    this.#removals.add(done);
    void done.then(() => this.#removals.delete(done));
    await before(done, graceMs);
  }

  /** Waits for all, but no longer than this, then lets go of them. */
  async close(ms: number): Promise<void> {
    await before(Promise.all(this.#removals), ms);
    this.#cut.abort();
  }
}

async function before(work: Promise<unknown>, ms: number): Promise<void> {
  const stop = new AbortController();
  try {
    await Promise.race([work, delay(ms, undefined, { signal: stop.signal })]);
  } finally {
    stop.abort();
  }
}
