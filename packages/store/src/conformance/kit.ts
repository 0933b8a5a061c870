import assert from 'node:assert/strict';
import { ForgeError, type ForgeErrorCode, type Redactor } from '@forge/core';
import type { Lease, NewRun, Store } from '../store.ts';

/** A database of a make, made for one test. */
export interface TestDatabase {
  /** A store of its own on this database, as another process would have it. */
  connect(options?: { readonly redact: Redactor | false }): Promise<Store>;
  /** Harms the tables, as no store would. */
  execute(sql: string): Promise<void>;
  /** Removes it. All stores are closed by then. */
  remove(): Promise<void>;
}

/** Makes an empty database whose stores go by this clock. */
export type OpenTestDatabase = (options: { readonly now: () => number }) => Promise<TestDatabase>;

/** A clock that moves when it is told to. */
export class TestClock {
  time = Date.UTC(2026, 10, 15, 12);
  readonly now = (): number => this.time;

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}

/** What a test works with. */
export interface Bench {
  readonly store: Store;
  readonly clock: TestClock;
  readonly database: TestDatabase;
  /** Another store on the same database; closed with the test. */
  connect(): Promise<Store>;
}

/** Runs a test on an empty database, and cleans up whatever becomes of it. */
export function onBench(
  open: OpenTestDatabase,
  test: (bench: Bench) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const clock = new TestClock();
    const database = await open({ now: clock.now });
    const stores: Store[] = [];
    const connect = async () => {
      const store = await database.connect();
      stores.push(store);
      return store;
    };
    try {
      await test({ store: await connect(), clock, database, connect });
    } finally {
      for (const store of stores) await store.close();
      await database.remove();
    }
  };
}

/** Expects a failure with this code; gives its message. */
export async function failsWith(code: ForgeErrorCode, work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(ForgeError.is(error), `expected a ForgeError, got ${error}`);
    assert.equal(error.code, code, error.message);
    return error.message;
  }
  return assert.fail(`expected ${code}, but it worked`);
}

export const ttl = 10_000;

/** Leases up to so many runs. */
export function claim(store: Store, limit = 100): Promise<readonly Lease[]> {
  return store.claim({ owner: 'worker', ttl, limit });
}

/** Leases one run by its id; fails if that is not possible. */
export async function claimRun(store: Store, runId: string): Promise<Lease> {
  const [lease] = await store.claim({ owner: 'worker', ttl, limit: 1, runId });
  assert.ok(lease, `run ${runId} cannot be claimed`);
  return lease;
}

/** Makes a run and leases it. */
export async function leasedRun(
  store: Store,
  run: Partial<NewRun> & { readonly id: string },
): Promise<Lease> {
  await store.createRun({ agent: 'writer', ...run });
  return claimRun(store, run.id);
}

export function ids(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

export function claimedIds(leases: readonly Lease[]): readonly string[] {
  return leases.map(({ run }) => run.id);
}
