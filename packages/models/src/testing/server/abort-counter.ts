/** Counts clients that left, and tells those who wait for it. */
export class AbortCounter {
  #count = 0;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  get count(): number {
    return this.#count;
  }

  add() {
    this.#count += 1;
    for (const { count, resolve } of this.#waiting) if (count <= this.#count) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#count);
  }

  async until(count: number): Promise<void> {
    if (this.#count >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }
}
