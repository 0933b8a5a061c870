import type { Page } from '../store.ts';

/** Something to be remembered beyond a run. */
export interface NewFact {
  /**
   * Whose memory it is, such as `agent:writer` or `user:42`. Free text; nothing is ever found from
   * another scope.
   */
  readonly scope: string;
  /** Unique in its scope. Without it one is made of the value's words: the same said twice is one fact. */
  readonly key?: string;
  readonly value: string;
  /** Where it comes from, such as the id of a run. */
  readonly source?: string;
}

export interface Fact {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
  readonly source: string | undefined;
  /** When it first came under this key, and when it got this value. By the database's clock. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** `same`: it was known, and nothing was written. */
export type Remembered = 'new' | 'changed' | 'same';

/**
 * Facts that outlive runs. Their texts go through the store's redactor like everything it keeps.
 *
 * @example
 * await store.memory.remember({ scope: 'user:42', key: 'drink', value: 'Likes green tea.' });
 * await store.memory.search({ scope: 'user:42', query: 'which tea?' });
 */
export interface MemoryStore {
  /**
   * Adds a fact, or gives the one under its key another value. `invalid_options` if a part is empty
   * or longer than `factLimits` allows, `not_allowed` if its scope is full.
   */
  remember(fact: NewFact): Promise<{ readonly fact: Fact; readonly outcome: Remembered }>;
  recall(scope: string, key: string): Promise<Fact | undefined>;
  /**
   * Facts that hold any word of the query, the best first: those with more of its words, rarer ones,
   * and words in the key count more; of equals, the newest. A word of four letters or more also finds
   * longer words that begin with it. Case and accents do not matter. The query is only words: no
   * character in it means anything else. Without words it finds nothing. Default limit 10, at most 100.
   */
  search(options: {
    readonly scope: string;
    readonly query: string;
    readonly limit?: number;
  }): Promise<readonly Fact[]>;
  /** False if there was none. */
  forget(scope: string, key: string): Promise<boolean>;
  /** A page of a scope, newest first. */
  facts(
    scope: string,
    page?: { readonly limit?: number; readonly after?: string },
  ): Promise<Page<Fact>>;
  /**
   * Forgets what got its value before then, the oldest first, in one scope or in all. Gives how many;
   * by default at most 1,000 at a time.
   */
  forgetOlder(options: {
    readonly before: number;
    readonly scope?: string;
    readonly limit?: number;
  }): Promise<number>;
}

/** Lengths in characters. */
export const factLimits = {
  scope: 200,
  key: 200,
  value: 8_000,
  source: 200,
  /** In one scope. */
  facts: 10_000,
} as const;
