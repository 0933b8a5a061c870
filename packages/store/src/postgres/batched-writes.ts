import { ForgeError } from '@forge/core';
import { BatchQueue, type Outcome } from './batch-queue.ts';
import { failureOf } from './failure.ts';
import type { PostgresTx, Transactions } from './transactions.ts';

const mostItems = 256;
const mostSize = 4 * 1024 * 1024;
const mostWaiting = 2_000;
/** While one is flushed to disk, the next is on its way. */
const flights = 2;

/** Writes that come at the same time share a transaction, one flush for all of them. */
export function batchedWrites<Item, T>({
  transactions,
  keyOf,
  sizeOf,
  write,
}: {
  readonly transactions: Transactions;
  /** No two of a batch have the same. */
  readonly keyOf: (item: Item) => string;
  /** About how many bytes it has. */
  readonly sizeOf: (item: Item) => number;
  /** Gives an outcome for each, in their order. What it throws is of all of them. */
  readonly write: (tx: PostgresTx, batch: readonly Item[]) => Promise<readonly Outcome<T>[]>;
}): (item: Item) => Promise<T> {
  async function run(batch: readonly Item[]): Promise<readonly Outcome<T>[]> {
    try {
      return await transactions.write((tx) => write(tx, batch));
    } catch (error) {
      const cause = ForgeError.is(error) ? (error.cause ?? error) : error;
      // A server that is away is away for all of them.
      if (batch.length === 1 || failureOf(cause) !== 'fault') throw error;
      // One of them cannot be written: the others must not suffer for it.
      const alone: Outcome<T>[] = [];
      for (const item of batch) alone.push(...(await run([item]).catch(failed)));
      return alone;
    }
  }
  const queue = new BatchQueue<Item, T>({
    flights,
    mostItems,
    mostSize,
    mostWaiting,
    keyOf,
    sizeOf,
    run,
  });
  return (item) => queue.add(() => item);
}

function failed(error: unknown): readonly { readonly error: unknown }[] {
  return [{ error }];
}
