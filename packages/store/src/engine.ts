import type { Kysely } from 'kysely';
import type { FactIndex } from './memory/fact-index.ts';
import type { Tables } from './schema/tables.ts';
import type { Store } from './store.ts';

/** What one transaction has at hand. */
export interface WriteTx {
  readonly db: Kysely<Tables>;
  /** The database's clock as this began. */
  readonly now: number;
  /** Says after the commit that this run may be due. */
  wake(runId: string): void;
  /** Says after the commit that a schedule may be due. */
  wakeSchedulers(): void;
}

/**
 * What each make brings: transactions, and the operations that are worth their own statements. The
 * rest is written once, in `sql/`.
 */
export interface Engine
  extends Pick<
    Store,
    | 'createRun'
    | 'claim'
    | 'heartbeat'
    | 'release'
    | 'postpone'
    | 'strike'
    | 'append'
    | 'send'
    | 'cursor'
    | 'changes'
    | 'onWake'
    | 'now'
    | 'close'
  > {
  /** Reads what is committed. What the database throws comes out as `store_failed`. */
  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * One transaction: committed when this resolves, rolled back whole when the work throws. The work
   * may be run again after a conflict, so it changes nothing but the database. Work that ends
   * quickly: others wait for it.
   */
  write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T>;
  /**
   * Inside a transaction: waits until every event that is numbered is either committed or gone, and
   * keeps new ones out until the transaction ends.
   */
  settleEvents(tx: WriteTx): Promise<void>;
  readonly factIndex: FactIndex;
  /** The kind of an outcome, in this make's SQL. */
  readonly outcomeKind: string;
}
