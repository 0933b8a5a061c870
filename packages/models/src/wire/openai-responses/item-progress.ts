import type { JsonObject, JsonValue } from '@forge/core';

/** How many characters have been given on. */
export interface Given {
  length: number;
}

/** How much of an item has been given on, by its parts. */
export interface Progress {
  readonly given: Map<string, Given>;
  readonly argsGiven: Given;
  callIndex?: number;
  /** What `provider` keeps of a message, once the wire has told it. */
  marks?: JsonObject;
  /** What of it has been given on, by the parts. */
  readonly told: Map<string, JsonObject>;
}

/** The place of an item in the output, else its id: llama.cpp leaves the place out. */
export type ItemKey = JsonValue | undefined;

/** The items of a stream, however its events name them. */
export class Items {
  readonly #known = new Map<ItemKey, Progress>();
  #latest: ItemKey;

  /** An id that nobody opened is a slip of the server: it can only mean the item opened last. */
  keyOf(index: ItemKey, id: ItemKey): ItemKey {
    return index ?? (this.#known.has(id) ? id : (this.#latest ?? id));
  }

  /** The item an event is about. */
  keyIn({ output_index: index, item_id: id }: JsonObject): ItemKey {
    return this.keyOf(index, id);
  }

  open(index: ItemKey, id: ItemKey): ItemKey {
    this.#latest = index ?? id;
    return this.#latest;
  }

  find(key: ItemKey): Progress | undefined {
    return this.#known.get(key);
  }

  at(key: ItemKey): Progress {
    let progress = this.#known.get(key);
    if (progress === undefined) {
      progress = { given: new Map(), told: new Map(), argsGiven: { length: 0 } };
      this.#known.set(key, progress);
    }
    return progress;
  }

  get areNumbered(): boolean {
    return [...this.#known.keys()].some((key) => typeof key === 'number');
  }
}
