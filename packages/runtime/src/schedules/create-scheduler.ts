import { ForgeError } from '@forge/core';
import type { ScheduleRow } from '@forge/store';
import { lookAtSchedule, type ScheduleStore } from './look-at-schedule.ts';
import { planFiring } from './plan-firing.ts';
import { readStored, type StoredSchedule } from './stored-schedule.ts';

export interface SchedulerOptions {
  readonly store: ScheduleStore;
  /** Default: the database's clock, so that several machines agree. */
  readonly now?: () => number | Promise<number>;
  /** Resolves after that many milliseconds, or as soon as the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds between two looks for schedules nobody told about. Default 5,000. */
  readonly pollEvery?: number;
  /** Milliseconds a due time may be late without being missed. Default 60,000. */
  readonly grace?: number;
  /** Told of what went wrong. The schedule is tried again, later each time. */
  readonly onProblem?: (problem: SchedulerProblem) => void;
}

export interface SchedulerProblem {
  readonly scheduleId?: string;
  readonly error: unknown;
}

export interface Scheduler {
  /** A schedule may have become due: looks at once. */
  wake(): void;
  /** Resolves when the firing that is being written is, and nothing more will be. */
  stop(): Promise<void>;
}

const batch = 100;
const atOnce = 20;
const far = 8.64e15;
const longestBackoff = 300_000;

/**
 * Fires schedules as they become due. Any number may share a store: each plans for itself, and the
 * version of the schedule lets one through, so every due time fires once. A crash before the
 * transaction leaves it due; after it, done.
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  return new RunningScheduler(options);
}

class RunningScheduler implements Scheduler {
  readonly #store: ScheduleStore;
  readonly #options: SchedulerOptions;
  readonly #stop = new AbortController();
  readonly #forgetWakes: () => void;
  readonly #ended: Promise<void>;
  /** Schedules that failed, and when they are tried again. */
  readonly #failed = new Map<string, { readonly tries: number; readonly until: number }>();
  #sleep = new AbortController();
  #isWoken = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#forgetWakes = options.store.onWake((runIds) => {
      // Runs that are named are a worker's business.
      if (runIds === undefined) this.wake();
    });
    this.#ended = this.#loop();
  }

  /** May be passed on as it is, to those who change schedules. */
  readonly wake = () => {
    this.#isWoken = true;
    this.#sleep.abort();
  };

  async stop(): Promise<void> {
    this.#forgetWakes();
    this.#stop.abort();
    this.wake();
    await this.#ended;
  }

  async #loop() {
    const { pollEvery = 5_000, wait = waitFor } = this.#options;
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      this.#sleep = new AbortController();
      let rest = pollEvery;
      try {
        rest = Math.min(pollEvery, await this.#fireDue());
      } catch (error) {
        this.#report({ error });
      }
      if (this.#isWoken || this.#stop.signal.aborted) continue;
      if (rest > 0) await wait(rest, this.#sleep.signal);
    }
  }

  /** Fires all that is due. Gives the milliseconds until the next one is. */
  async #fireDue(): Promise<number> {
    for (;;) {
      const now = await this.#now();
      // Those that failed are due too; they must not keep the others out.
      const due = await this.#store.dueSchedules(now, batch + this.#failed.size);
      const ready = due.filter(({ id }) => (this.#failed.get(id)?.until ?? 0) <= now);
      if (ready.length === 0) return this.#untilNext(now);
      // Side by side, so that they share commits.
      for (let from = 0; from < ready.length; from += atOnce) {
        if (this.#stop.signal.aborted) return 0;
        await Promise.all(ready.slice(from, from + atOnce).map((row) => this.#tryToFire(row, now)));
      }
    }
  }

  async #untilNext(now: number): Promise<number> {
    let next = Infinity;
    for (const { id, nextAt } of await this.#store.dueSchedules(far, 1 + this.#failed.size)) {
      next = Math.min(next, Math.max(nextAt ?? Infinity, this.#failed.get(id)?.until ?? 0));
    }
    return Math.max(1, next - now);
  }

  async #tryToFire(row: ScheduleRow, now: number) {
    try {
      await this.#fire(row);
      this.#failed.delete(row.id);
    } catch (error) {
      const tries = (this.#failed.get(row.id)?.tries ?? 0) + 1;
      const pause = Math.min(longestBackoff, 1_000 * 2 ** Math.min(tries, 10));
      this.#forgetOld(now);
      this.#failed.set(row.id, { tries, until: now + pause });
      this.#report({ scheduleId: row.id, error });
    }
  }

  async #fire(row: ScheduleRow) {
    const now = await this.#now();
    const stored = read(row);
    if (ForgeError.is(stored)) {
      await this.#putAside(row, { now, why: stored.message });
      this.#report({ scheduleId: row.id, error: stored });
      return;
    }
    const { grace } = this.#options;
    const situation = await lookAtSchedule(this.#store, { row, stored, now });
    const input = { row, stored, now, ...(grace !== undefined && { grace }) };
    try {
      // False: another process was faster, and has done it.
      await this.#store.fire(planFiring({ ...input, situation }));
    } catch (error) {
      if (!ForgeError.is(error, 'already_decided')) throw error;
      const history = await this.#store.firings(row.id, 1_000);
      const taken = new Set(history.map(({ dueAt }) => dueAt));
      await this.#store.fire(planFiring({ ...input, situation: { ...situation, taken } }));
    }
  }

  /** A schedule nobody can read is paused where a person sees it, and holds up no other. */
  async #putAside(row: ScheduleRow, { now, why }: { readonly now: number; readonly why: string }) {
    const { version: expectedVersion, ...schedule } = row;
    await this.#store.fire({
      schedule: { ...schedule, state: 'paused', nextAt: undefined },
      expectedVersion,
      firings: [
        { scheduleId: row.id, dueAt: row.nextAt ?? now, at: now, outcome: 'skipped', detail: why },
      ],
    });
  }

  /** Schedules that were cancelled while they failed are not remembered for ever. */
  #forgetOld(now: number) {
    for (const [id, { until }] of this.#failed) {
      if (until + 2 * longestBackoff < now) this.#failed.delete(id);
    }
  }

  /** A listener that throws does not stop the loop: its fault is reported as its own. */
  #report(problem: SchedulerProblem) {
    try {
      this.#options.onProblem?.(problem);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  async #now(): Promise<number> {
    return (this.#options.now ?? (() => this.#store.now()))();
  }
}

function read(row: ScheduleRow): StoredSchedule | ForgeError {
  try {
    return readStored(row);
  } catch (error) {
    if (ForgeError.is(error, 'invalid_options')) return error;
    throw error;
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
