/** Tells those who wait within this process that the log went on, or that runs may be due. */
export class Signals {
  readonly #listeners = new Set<(runIds: readonly string[] | undefined) => void>();
  readonly #waiting = new Set<() => void>();
  #version = 0;

  /** Rises whenever the log may have gone on. Read it before looking, so that nothing slips by. */
  get version(): number {
    return this.#version;
  }

  appended(): void {
    this.#version += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  /** Undefined: any run. A listener that throws is its owner's bug and stops nobody else. */
  woken(runIds: readonly string[] | undefined): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(runIds);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  onWake(listener: (runIds: readonly string[] | undefined) => void): () => void {
    // Its own function each time: the same listener given twice is two.
    const entry = (runIds: readonly string[] | undefined) => listener(runIds);
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** Resolves once the log may have gone on since that version, the time is over, or the signal aborts. */
  async moved({
    seen,
    signal,
    within,
  }: {
    readonly seen: number;
    readonly signal: AbortSignal;
    readonly within: number | undefined;
  }): Promise<void> {
    if (this.#version !== seen || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = within === undefined ? undefined : setTimeout(resolve, within);
    this.#waiting.add(resolve);
    const stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(resolve);
    }
  }
}
