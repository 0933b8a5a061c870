import { ForgeError } from '@forge/core';
import type pg from 'pg';
import type { WriteTx } from '../engine.ts';
import { failureOf, toForgeError } from './failure.ts';
import { type PatienceOptions, withPatience } from './patience.ts';
import type { Connection, Connections } from './pool.ts';
import {
  databaseClock,
  type Receipt,
  type Receipts,
  type Settled,
  settle,
  takeNumber,
} from './receipts.ts';

export interface Transactions {
  /** Reads what is committed, again if the connection is lost. */
  read<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * One transaction, all of it exactly once or nothing: a commit whose answer was lost is found out
   * about, never repeated. The work is run again after a conflict or a lost connection.
   */
  write<T>(work: (tx: PostgresTx) => Promise<T>): Promise<T>;
  /** What became of a transaction whose answer was lost. */
  settle(receipt: Receipt): Promise<Settled>;
}

/** A connection inside a transaction of the store. */
export interface SqlTransaction {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Called with the runs a transaction makes due, before it is committed. */
export type OnDue = (transaction: SqlTransaction, runIds: readonly string[]) => Promise<void>;

export interface PostgresTx extends WriteTx {
  readonly client: pg.PoolClient;
}

export function createTransactions({
  connections,
  receipts,
  patience,
  now,
  onWake,
  onDue,
}: {
  readonly connections: Connections;
  readonly receipts: Receipts;
  readonly patience: PatienceOptions;
  /** In place of the database's clock. */
  readonly now: (() => number) | undefined;
  /** Undefined: a schedule may be due. */
  readonly onWake: (runIds: readonly string[] | undefined) => void;
  readonly onDue: OnDue | undefined;
}): Transactions {
  const settleLost = (receipt: Receipt) =>
    withPatience(patience, () => connections.use(({ client }) => settle(client, receipt)));

  async function attempt<T>(
    { client, db }: Connection,
    receipt: Receipt,
    work: (tx: PostgresTx) => Promise<T>,
  ): Promise<{ value: T; woken: readonly string[]; schedules: boolean; lost: unknown }> {
    const woken = new Set<string>();
    let schedules = false;
    try {
      const began = await begin(client, receipt);
      const wake = (runId: string) => woken.add(runId);
      const wakeSchedulers = () => {
        schedules = true;
      };
      const value = await work({ client, db, now: now?.() ?? began, wake, wakeSchedulers });
      if (onDue !== undefined && woken.size > 0) await tellOfDue(client, onDue, [...woken]);
      const lost = await commit(client);
      return { value, woken: [...woken], schedules, lost };
    } catch (error) {
      await undo(client);
      throw error;
    }
  }

  return {
    settle: settleLost,
    async read(work) {
      try {
        return await withPatience(patience, () => connections.use(work));
      } catch (error) {
        throw toForgeError(error);
      }
    },
    async write(work) {
      try {
        return await receipts.use((next) =>
          withPatience(patience, async () => {
            const receipt = next();
            const tried = await connections.use((connection) => attempt(connection, receipt, work));
            if (tried.lost !== undefined && !(await settleLost(receipt)).committed)
              throw tried.lost;
            if (tried.woken.length > 0) onWake(tried.woken);
            if (tried.schedules) onWake(undefined);
            return tried.value;
          }),
        );
      } catch (error) {
        throw toForgeError(error);
      }
    },
  };
}

/** What it writes is part of the transaction; what it fails at is not, and holds up nothing. */
async function tellOfDue(
  client: pg.PoolClient,
  onDue: OnDue,
  runIds: readonly string[],
): Promise<void> {
  await client.query('savepoint due');
  try {
    await onDue(client, runIds);
  } catch {
    // If it was the connection that failed, so does this, and the whole is tried again.
    await client.query('rollback to savepoint due');
  }
  await client.query('release savepoint due');
}

/**
 * One round trip for all; what stands in it is ours, so it needs no parameters. The lock is shared
 * with everybody who writes. It is taken before the transaction gets its number: that is how the
 * feed knows whom to wait for.
 */
async function begin(client: pg.PoolClient, { writer, slot, n }: Receipt): Promise<number> {
  const number = takeNumber({ writer: `'${writer}'`, slot: String(slot), n: String(n) });
  const results: unknown = await client.query(
    `begin; lock table events in row exclusive mode; ${number} returning ${databaseClock} as now`,
  );
  const taken: unknown = Array.isArray(results) ? results.at(-1)?.rows?.[0]?.now : undefined;
  if (typeof taken === 'number') return taken;
  throw new ForgeError('store_failed', `The number ${n} of writer ${writer} is taken: a bug here.`);
}

/** The error when the answer was lost: then the commit happened or not. Throws when it did not. */
async function commit(client: pg.PoolClient): Promise<unknown> {
  try {
    const { command } = await client.query('commit');
    if (command === 'COMMIT') return undefined;
  } catch (error) {
    if (failureOf(error) === 'lost') return error;
    throw error;
  }
  throw new ForgeError(
    'store_failed',
    'A statement of the transaction had failed unseen, so none of it was written. Report this as a bug.',
  );
}

/** A connection that cannot do even that is not used again, and the server undoes it by itself. */
async function undo(client: pg.PoolClient): Promise<void> {
  await client.query('rollback').catch(() => {});
}
