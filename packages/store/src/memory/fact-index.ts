import type { Kysely } from 'kysely';
import type { WriteTx } from '../engine.ts';
import type { Tables } from '../schema/tables.ts';

/** What a fact is found by. */
export interface FactWords {
  readonly id: number;
  readonly scope: string;
  readonly key: readonly string[];
  readonly value: readonly string[];
}

/** A fact that has at least one of the words. */
export interface FactHit {
  readonly id: number;
  readonly updatedAt: number;
  /** Word i of the query is in the key: bit 2i. It is in the value: bit 2i + 1. */
  readonly bits: number;
}

/** So many words of a query count: their bits fit into a whole number. */
export const mostQueryWords = 24;

/** How a make finds facts by their words. Which words there are is said by `wordsOf`, for all makes. */
export interface FactIndex {
  /** In place of what the fact was found by before. */
  set(tx: WriteTx, words: FactWords): Promise<void>;
  remove(tx: WriteTx, ids: readonly number[]): Promise<void>;
  /** Every fact of the scope that has any of the words, in no order. */
  find(
    db: Kysely<Tables>,
    query: { readonly scope: string; readonly words: readonly string[] },
  ): Promise<readonly FactHit[]>;
}
