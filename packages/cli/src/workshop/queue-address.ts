import { ForgeError } from '@forge/core';

/** `store` is what the store itself tells; `pg-boss` is in the store's own database. */
export function queueAddress(queue: string | undefined, store: string): string | undefined {
  if (queue === undefined || queue === 'store') return undefined;
  if (queue !== 'pg-boss') return queue;
  if (/^postgres(ql)?:/.test(store)) return store;
  throw new ForgeError(
    'invalid_options',
    'queue: pg-boss needs a store on PostgreSQL. Set store to postgres://…, or leave queue out.',
  );
}
