import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openSqliteStore, type ScheduleRow, type Store } from '@forge/store';
import { nextTime } from './next-time.ts';
import { type ScheduleSpec, scheduleSpecSchema } from './schedule-spec.ts';
import type { StoredSchedule } from './stored-schedule.ts';
import { writeStored } from './stored-schedule.ts';

/** Monday, in the winter of Berlin. */
export const monday = Date.parse('2026-03-02T00:00:00Z');
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export function specOf(fields: Partial<ScheduleSpec> = {}): ScheduleSpec {
  return scheduleSpecSchema.parse({
    rule: { type: 'every', every: hour, from: monday + hour },
    zone: 'UTC',
    input: 'Look at the mail.',
    ...fields,
  });
}

export function storedOf(
  fields: Partial<ScheduleSpec> = {},
  progress: Partial<StoredSchedule['progress']> = {},
): StoredSchedule {
  const spec = specOf(fields);
  const nextDue = nextTime(spec, monday);
  const fresh = { nextDue, count: 0, waiting: [], recent: [] };
  return { v: 1, spec, progress: { ...fresh, ...progress }, generation: 0 };
}

export function rowOf(stored: StoredSchedule, fields: Partial<ScheduleRow> = {}): ScheduleRow {
  return {
    id: 'mail',
    agent: 'helper',
    tenant: undefined,
    runId: undefined,
    spec: writeStored(stored),
    state: 'active',
    nextAt: stored.progress.nextDue,
    lastAt: undefined,
    createdAt: monday,
    version: 1,
    ...fields,
  };
}

/** A real store in a folder of its own, on a clock of its own. */
export async function openTestStore(
  context: TestContext,
  clock: { readonly now: () => number },
): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-schedules-'));
  const file = join(folder, 'forge.db');
  const store = await openSqliteStore({ file, synchronous: 'normal', now: clock.now });
  context.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

/** Time that passes when a test says so. */
export class FakeClock {
  #now: number;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  #onSleep: (() => void)[] = [];

  constructor(now = monday) {
    this.#now = now;
  }

  now = () => this.#now;

  wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleeper = { until: this.#now + ms, wake: () => done() };
      const done = () => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
      for (const go of this.#onSleep.splice(0)) go();
    });

  /** Resolves when that many sleep. */
  async asleep(count = 1): Promise<void> {
    while (this.#sleepers.size < count) {
      await new Promise<void>((resolve) => this.#onSleep.push(resolve));
    }
  }

  /** The clock jumps; whoever slept that long wakes. */
  set(now: number) {
    this.#now = now;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= now) sleeper.wake();
  }

  /** Jumps to where the next sleeper wakes, again and again, up to a moment. */
  async runTo(end: number, sleepers = 1): Promise<void> {
    for (;;) {
      await this.asleep(sleepers);
      const next = Math.min(...[...this.#sleepers].map(({ until }) => until));
      if (next > end) break;
      this.set(next);
    }
    this.set(end);
    await this.asleep(sleepers);
  }
}

/** Does what a worker would: reads the inbox, uses tokens, and ends the run or lets it wait. */
export async function workOn(
  store: Store,
  runId: string,
  { end, tokens = 0 }: { readonly end?: 'completed' | 'cancelled'; readonly tokens?: number } = {},
): Promise<readonly string[]> {
  const [lease] = await store.claim({ owner: 'w', ttl: minute, limit: 1, runId });
  if (lease === undefined) throw new Error(`run ${runId} is not to be had`);
  const { fence } = lease;
  const mail = await store.inbox(runId);
  await store.append({
    runId,
    fence,
    expectedSeq: lease.run.seq,
    at: await store.now(),
    happenings: [
      {
        type: 'model.replied',
        turn: 1,
        reply: { content: [], finish: 'stop', usage: { inputTokens: tokens, outputTokens: 0 } },
      },
      ...(end === undefined
        ? []
        : [
            {
              type: 'run.finished' as const,
              status: end,
              reason: 'answered' as const,
              explanation: '',
            },
          ]),
    ],
    consumes: mail.map(({ id }) => id),
    ...(end !== undefined && { state: end }),
  });
  if (end === undefined) await store.release({ runId, fence });
  return mail.map(({ kind, payload }) => `${kind} ${JSON.stringify(payload)}`);
}
