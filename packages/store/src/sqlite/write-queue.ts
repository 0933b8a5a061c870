import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import type { Kysely } from 'kysely';
import type { WriteTx } from '../engine.ts';
import { DailyLedger, type DayRow, dailyColumns } from '../projections/daily-totals.ts';
import type { Tables } from '../schema/tables.ts';
import { blockingWait, type Database } from './database.ts';
import { OwnerCache } from './owner-cache.ts';
import { closed, isBusy, storeFailed } from './sqlite-errors.ts';

/** What a write has at hand. */
export interface SqliteTx extends WriteTx {
  readonly database: Database;
  /** Adds to the figures of a day, which are written once for many steps. */
  readonly count: (row: DayRow) => void;
  readonly owners: OwnerCache;
}

/**
 * One write among those that share a commit. `quick` work does not wait, and throws a `ForgeError`
 * only before it has written anything. `careful` work may throw anywhere: what it wrote is undone.
 * Either may be run again, so it changes nothing but the database.
 */
export type Work<T> =
  | { readonly kind: 'quick'; readonly run: (tx: SqliteTx) => T; readonly size?: number }
  | {
      readonly kind: 'careful';
      readonly run: (tx: SqliteTx) => Promise<T>;
      readonly size?: number;
    };

interface Entry {
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** A commit is kept short, so that other processes get their turn. */
const mostPerCommit = 512;
const mostBytesPerCommit = 8 * 1024 * 1024;
/** Beyond this callers do not wait for their promises; refusing them is kinder than running out of memory. */
const mostWaiting = 50_000;

export interface QueueOptions {
  readonly file: string;
  readonly now: () => number;
  /** Milliseconds to wait for other processes in all. */
  readonly patience: number;
  /** After each commit, with the runs that may be due, and whether a schedule may be. Must not throw. */
  readonly onCommit: (woken: ReadonlySet<string>, schedules: boolean) => void;
}

/**
 * Writes of one process, in the order they come, sharing commits: all that come in one turn of the
 * event loop are on disk with one flush. A promise resolves after the commit that holds its work.
 */
export class WriteQueue {
  readonly #database: Database;
  readonly #db: Kysely<Tables>;
  readonly #options: QueueOptions;
  #entries: Entry[] = [];
  #draining: Promise<void> | undefined;
  readonly #owners = new OwnerCache();
  #closed = false;

  constructor(database: Database, db: Kysely<Tables>, options: QueueOptions) {
    this.#database = database;
    this.#db = db;
    this.#options = options;
  }

  submit<T>(work: Work<T>): Promise<T> {
    if (this.#closed) {
      return Promise.reject(closed());
    }
    if (this.#entries.length >= mostWaiting) {
      const text = `${mostWaiting} writes wait for the disk. Await them before sending more. Nothing was written.`;
      return Promise.reject(new ForgeError('store_failed', text));
    }
    return new Promise<T>((resolve, reject) => {
      this.#entries.push({ work, resolve: (value) => resolve(value as T), reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Takes no more, and resolves when all that was taken is done. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#entries.length > 0) {
      await new Promise((turn) => setImmediate(turn)); // What else comes in this turn shares the commit.
      await this.#commit(this.#takeBatch());
    }
    this.#draining = undefined;
  }

  #takeBatch(): readonly Entry[] {
    let bytes = 0;
    let count = 0;
    for (const { work } of this.#entries) {
      bytes += work.size ?? 0;
      if (count === mostPerCommit || (count > 0 && bytes > mostBytesPerCommit)) break;
      count += 1;
    }
    const batch = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    return batch;
  }

  async #commit(batch: readonly Entry[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      outcomes = await this.#patiently(() => this.#attempt(batch));
    } catch (error) {
      if (batch.length === 1 || isBusy(error)) {
        const failure = storeFailed(error, this.#options.file);
        for (const { reject } of batch) reject(failure);
        return;
      }
      // One of them cannot be written: the others must not suffer for it.
      for (const entry of batch) await this.#commit([entry]);
      return;
    }
    for (const [index, outcome] of outcomes.entries()) {
      const entry = batch[index];
      if (outcome.ok) entry?.resolve(outcome.value);
      else entry?.reject(outcome.error);
    }
  }

  /** Again while another process writes: first at short intervals, in all for `patience`. */
  async #patiently<T>(attempt: () => Promise<T>): Promise<T> {
    let waited = 0;
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error) || waited >= this.#options.patience) throw error;
        await sleep(pause);
        waited += pause + blockingWait;
      }
    }
  }

  async #attempt(batch: readonly Entry[]): Promise<readonly Outcome[]> {
    const database = this.#database;
    const woken = new Set<string>();
    let schedules = false;
    const outcomes: Outcome[] = [];
    const days = new DailyLedger();
    database.run('begin immediate');
    try {
      const tx: SqliteTx = {
        database,
        db: this.#db,
        now: Math.trunc(this.#options.now()),
        count: (row) => days.addRow(row),
        owners: this.#owners,
        wake: (runId) => woken.add(runId),
        wakeSchedulers: () => {
          schedules = true;
        },
      };
      for (const { work } of batch) {
        outcomes.push(work.kind === 'quick' ? quickly(work, tx) : await carefully(work, tx, days));
      }
      writeDays(database, days);
      database.run('commit');
    } catch (error) {
      // SQLite may have rolled back by itself, as it does when the disk is full.
      if (database.inTransaction) database.run('rollback');
      throw error;
    }
    this.#options.onCommit(woken, schedules);
    return outcomes;
  }
}

function quickly(work: Work<unknown> & { readonly kind: 'quick' }, tx: SqliteTx): Outcome {
  try {
    return { ok: true, value: work.run(tx) };
  } catch (error) {
    if (ForgeError.is(error)) return { ok: false, error };
    throw error;
  }
}

/** Such work may read the figures, and what it counts is undone with it: they are written around it. */
async function carefully(
  work: Work<unknown> & { readonly kind: 'careful' },
  tx: SqliteTx,
  days: DailyLedger,
): Promise<Outcome> {
  const { database } = tx;
  writeDays(database, days);
  database.run('savepoint work');
  try {
    const value = await work.run(tx);
    writeDays(database, days);
    database.run('release work');
    return { ok: true, value };
  } catch (error) {
    if (!ForgeError.is(error)) throw error;
    days.take();
    database.run('rollback to work');
    database.run('release work');
    return { ok: false, error };
  }
}

function writeDays(database: Database, days: DailyLedger): void {
  for (const { day, agent, model, totals } of days.take()) {
    const sums = dailyColumns.map((column) => totals[column]);
    database.run(addDay, day, agent, model, ...sums);
  }
}

const addDay = `insert into daily_stats (day, agent, model, ${dailyColumns.join(', ')})
  values (?, ?, ?, ${dailyColumns.map(() => '?').join(', ')})
  on conflict (day, agent, model) do update set
  ${dailyColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;
