/** Fewer are not worth a batch of their own. */
const leastShare = 8;

/** How one item of a batch ended. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

export interface BatchQueueOptions<Item, T> {
  /** Batches under way at once. */
  readonly flights: number;
  /** Items in a batch, and their sizes together; a larger item goes alone. */
  readonly mostItems: number;
  readonly mostSize: number;
  /** Items that wait; whoever brings more waits first. */
  readonly mostWaiting: number;
  /** Items of one key go one after the other. */
  readonly keyOf: (item: Item) => string;
  readonly sizeOf: (item: Item) => number;
  /** Gives an outcome for each item, in their order. If it throws, that is the outcome of all. */
  readonly run: (batch: readonly Item[]) => Promise<readonly Outcome<T>[]>;
}

interface Entry<Item, T> {
  readonly item: Item;
  readonly settle: (outcome: Outcome<T>) => void;
}

/**
 * Collects items and carries them out together. What comes in one turn of the event loop goes in one
 * batch; while all flights are under way, the next batch grows.
 */
export class BatchQueue<Item, T> {
  readonly #options: BatchQueueOptions<Item, T>;
  readonly #busy = new Set<string>();
  readonly #blocked: (() => void)[] = [];
  #waiting: Entry<Item, T>[] = [];
  #places: number;
  #flying = 0;
  #planned = false;
  #idle: (() => void)[] = [];

  constructor(options: BatchQueueOptions<Item, T>) {
    this.#options = options;
    this.#places = options.mostWaiting;
  }

  /** `make` is called when there is room: what it makes is not kept by those who wait for room. */
  async add(make: () => Item): Promise<T> {
    if (this.#places > 0) this.#places -= 1;
    else await new Promise<void>((resolve) => this.#blocked.push(resolve));
    let item: Item;
    try {
      item = make();
    } catch (error) {
      this.#freePlaces(1);
      throw error;
    }
    const outcome = await new Promise<Outcome<T>>((settle) => {
      this.#waiting.push({ item, settle });
      this.#plan();
    });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** When nothing waits and nothing is under way. */
  async settled(): Promise<void> {
    while (this.#flying > 0 || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  #plan(): void {
    if (this.#planned || this.#flying >= this.#options.flights) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      while (this.#flying < this.#options.flights) {
        const batch = this.#take(this.#share());
        if (batch.length === 0) return;
        void this.#fly(batch);
      }
    });
  }

  async #fly(batch: readonly Entry<Item, T>[]): Promise<void> {
    const { run, keyOf } = this.#options;
    this.#flying += 1;
    this.#freePlaces(batch.length);
    let outcomes: readonly Outcome<T>[] = [];
    let failed: Outcome<T> = { error: new Error('a batch gave no outcome for an item') };
    try {
      outcomes = await run(batch.map(({ item }) => item));
    } catch (error) {
      failed = { error };
    }
    this.#flying -= 1;
    batch.forEach(({ item, settle }, index) => {
      this.#busy.delete(keyOf(item));
      settle(outcomes[index] ?? failed);
    });
    this.#plan();
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  /**
   * What waits is parted among the flights that are free: while one batch is under way, those of the
   * other go on with what came of it, and neither side is idle.
   */
  #share(): number {
    const { flights, mostItems } = this.#options;
    const even = Math.ceil(this.#waiting.length / (flights - this.#flying));
    return Math.min(mostItems, Math.max(leastShare, even));
  }

  /** The oldest that fit together, one of each key, none whose key is under way. */
  #take(most: number): readonly Entry<Item, T>[] {
    const { keyOf, sizeOf, mostSize } = this.#options;
    const batch: Entry<Item, T>[] = [];
    const left: Entry<Item, T>[] = [];
    const passed = new Set<string>();
    let size = 0;
    for (const entry of this.#waiting) {
      const key = keyOf(entry.item);
      const grown = size + sizeOf(entry.item);
      const fits = batch.length === 0 || (batch.length < most && grown <= mostSize);
      if (!fits || this.#busy.has(key) || passed.has(key)) {
        left.push(entry);
        passed.add(key); // The next of this key must not overtake it.
        continue;
      }
      this.#busy.add(key);
      batch.push(entry);
      size = grown;
    }
    this.#waiting = left;
    return batch;
  }

  #freePlaces(count: number): void {
    for (let place = 0; place < count; place += 1) {
      const next = this.#blocked.shift();
      if (next === undefined) this.#places += 1;
      else next();
    }
  }
}
