import type pg from 'pg';

/**
 * How a writer finds out whether a commit happened whose answer was lost. Each transaction first
 * leaves its number in a row of its own writer and slot. After a lost connection `settle` writes the
 * same number: if the row has it, the commit happened; if not, it never will, because a transaction
 * that finds its number taken does nothing. The row's lock makes one wait for the other.
 */
export const receiptsTable = `create table receipts (
  writer text not null,
  slot bigint not null,
  n bigint not null,
  tx xid8,
  at bigint not null,
  primary key (writer, slot)
) with (fillfactor = 50)`;

export interface Receipt {
  readonly writer: string;
  readonly slot: number;
  readonly n: number;
}

/** What became of a transaction. `tx` is its number in the database. */
export type Settled =
  | { readonly committed: false }
  | { readonly committed: true; readonly tx: string };

/** Milliseconds since 1970 by the database's clock. */
export const databaseClock = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Takes the number, or gives no row if it is taken. `receipt` names places for its three parts. */
export function takeNumber(
  { writer, slot, n }: { writer: string; slot: string; n: string },
  tx: string = 'pg_current_xact_id()',
): string {
  return `insert into receipts (writer, slot, n, tx, at)
    values (${writer}, ${slot}, ${n}, ${tx}, ${databaseClock})
    on conflict (writer, slot) do update set n = excluded.n, tx = excluded.tx, at = excluded.at
    where receipts.n < excluded.n`;
}

const settleStatement = `${takeNumber({ writer: '$1', slot: '$2', n: '$3' }, 'null')} returning n`;

/** On another connection than the lost one. May be asked again if its own answer is lost. */
export async function settle(
  client: pg.ClientBase,
  { writer, slot, n }: Receipt,
): Promise<Settled> {
  const taken = await client.query(settleStatement, [writer, slot, n]);
  if (taken.rows.length > 0) return { committed: false };
  const { rows } = await client.query<{ tx: string | null }>(
    'select tx::text from receipts where writer = $1 and slot = $2',
    [writer, slot],
  );
  const tx = rows[0]?.tx;
  return tx === undefined || tx === null ? { committed: false } : { committed: true, tx };
}

/** The slots of one writer: each transaction under way has one to itself. */
export class Receipts {
  readonly #writer: string;
  readonly #free: { slot: number; n: number }[] = [];
  #slots = 0;

  constructor(writer: string) {
    this.#writer = writer;
  }

  get writer(): string {
    return this.#writer;
  }

  /** Gives the work a way to number its attempts. */
  async use<T>(work: (next: () => Receipt) => Promise<T>): Promise<T> {
    const mine = this.#free.pop() ?? { slot: this.#slots++, n: 0 };
    try {
      return await work(() => {
        mine.n += 1;
        return { writer: this.#writer, slot: mine.slot, n: mine.n };
      });
    } finally {
      this.#free.push(mine);
    }
  }

  /** Rows of this writer, and of those who left theirs behind long ago. */
  async clear(client: pg.ClientBase, options: { readonly olderThan: number }): Promise<void> {
    await client.query(
      `delete from receipts where writer = $1 or at < ${databaseClock} - $2::bigint`,
      [this.#writer, options.olderThan],
    );
  }
}
