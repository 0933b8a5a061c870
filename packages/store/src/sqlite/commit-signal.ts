/** Says that something was committed. Whoever took the number before it looked misses nothing. */
export class CommitSignal {
  #number = 0;
  readonly #waiting = new Set<() => void>();

  get number(): number {
    return this.#number;
  }

  notify(): void {
    this.#number += 1;
    for (const go of this.#waiting) go();
  }

  /** Resolves once the number is past this one, or the signal aborts. */
  async past(number: number, signal: AbortSignal): Promise<void> {
    if (this.#number > number || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const stop = () => resolve();
    signal.addEventListener('abort', stop);
    try {
      await promise;
    } finally {
      this.#waiting.delete(resolve);
      signal.removeEventListener('abort', stop);
    }
  }
}
