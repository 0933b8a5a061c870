/** Whoever wants to know that runs may be due. A listener that throws does not keep others from hearing. */
export class WakeListeners {
  readonly #listeners = new Set<(runIds: readonly string[] | undefined) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: (runIds: readonly string[] | undefined) => void): () => void {
    const own = (runIds: readonly string[] | undefined) => listener(runIds);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Undefined: any may be. */
  tell(runIds: readonly string[] | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(runIds);
      } catch (error) {
        // The commit that led here stands: the listener's fault is reported as its own.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
