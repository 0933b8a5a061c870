import { randomUUID } from 'node:crypto';
import { ForgeError } from '@forge/core';
import type { ScheduleFiring, ScheduleRow } from '@forge/store';
import {
  changeSchedule,
  ending,
  pausing,
  resuming,
  type ScheduleChanges,
  updating,
} from './change-schedule.ts';
import { createSchedule, type NewSchedule } from './create-schedule.ts';
import type { ScheduleStore } from './look-at-schedule.ts';
import { runScheduleNow } from './run-schedule-now.ts';
import {
  defaultLimits,
  noSchedule,
  type ScheduleDesk,
  type ScheduleLimits,
} from './schedule-desk.ts';
import { listedView, type ScheduleView } from './schedule-view.ts';
import { readStored } from './stored-schedule.ts';

export interface SchedulesOptions {
  readonly store: ScheduleStore;
  /** Default: the database's clock. */
  readonly now?: () => number | Promise<number>;
  readonly newId?: () => string;
  readonly limits?: Partial<ScheduleLimits>;
  /** Where a schedule does not name its zone. Default UTC. */
  readonly zone?: string;
  /** Told after every change: wake a scheduler of the same process with it. */
  readonly onChange?: () => void;
}

export interface ScheduleFilter {
  readonly agent?: string;
  readonly tenant?: string;
  /** Those that have ended too. */
  readonly ended?: boolean;
}

/** Schedules for terminals, chats and servers. `not_found` without the schedule. */
export interface Schedules {
  /** `invalid_options` names the field that is wrong, `not_allowed` the limit that is reached. */
  create(schedule: NewSchedule): Promise<ScheduleView>;
  get(id: string): Promise<ScheduleView | undefined>;
  /** Oldest first. */
  list(filter?: ScheduleFilter): Promise<readonly ScheduleView[]>;
  update(id: string, changes: ScheduleChanges): Promise<ScheduleView>;
  pause(id: string): Promise<ScheduleView>;
  /** Goes on with the next time from now. */
  resume(id: string): Promise<ScheduleView>;
  /** Fires beside the rule; gives the run that works on it. */
  runNow(id: string, options?: { readonly by?: string }): Promise<{ readonly runId: string }>;
  /** It ends; its history stays. */
  cancel(id: string): Promise<ScheduleView>;
  /** Newest first. */
  history(id: string, limit?: number): Promise<readonly ScheduleFiring[]>;
  /** Forgets schedules that ended before, with their history. Gives how many. */
  prune(options: { readonly endedBefore: number }): Promise<number>;
}

/**
 * @example
 * const schedules = createSchedules({ store, onChange: scheduler.wake });
 * const { preview } = await schedules.create({
 *   agent: 'assistant',
 *   rule: { type: 'cron', cron: '0 9 * * 1-5' },
 *   zone: 'Europe/Berlin',
 *   input: 'Ask how the day looks.',
 * });
 */
export function createSchedules({
  store,
  now = () => store.now(),
  newId = randomUUID,
  limits,
  zone = 'UTC',
  onChange,
}: SchedulesOptions): Schedules {
  const desk: ScheduleDesk = {
    store,
    now: async () => now(),
    newId,
    limits: { ...defaultLimits, ...limits },
    zone,
  };
  const telling = async <T>(change: Promise<T>): Promise<T> => {
    const done = await change;
    onChange?.();
    return done;
  };
  return {
    create: (schedule) => telling(createSchedule(desk, schedule)),
    get: async (id) => {
      const row = await store.schedule(id);
      return row && listedView(row);
    },
    list: async ({ agent, tenant, ended = false } = {}) => {
      const rows = await store.schedules(agent === undefined ? {} : { agent });
      return rows
        .filter((row) => ended || row.state !== 'ended')
        .filter((row) => tenant === undefined || row.tenant === tenant)
        .map(listedView);
    },
    update: (id, changes) => telling(changeSchedule(desk, id, updating(desk, changes))),
    pause: (id) => telling(changeSchedule(desk, id, pausing)),
    resume: (id) => telling(changeSchedule(desk, id, resuming)),
    cancel: (id) => telling(cancel(desk, id)),
    runNow: (id, options) => telling(runScheduleNow(desk, id, options)),
    history: async (id, limit) => {
      if ((await store.schedule(id)) === undefined) throw noSchedule(id);
      return store.firings(id, limit);
    },
    prune: ({ endedBefore }) => prune(store, endedBefore),
  };
}

/** One that cannot be read can be ended all the same. */
async function cancel(desk: ScheduleDesk, id: string): Promise<ScheduleView> {
  try {
    return await changeSchedule(desk, id, ending);
  } catch (error) {
    const row = ForgeError.is(error, 'invalid_options') && (await desk.store.schedule(id));
    if (!row) throw error;
    const { version, ...schedule } = row;
    const ended = { ...schedule, state: 'ended' as const, nextAt: undefined };
    return listedView(await desk.store.saveSchedule(ended, version));
  }
}

async function prune(store: ScheduleStore, endedBefore: number): Promise<number> {
  let pruned = 0;
  for (const row of await store.schedules({ state: 'ended' })) {
    if (endOf(row) < endedBefore && (await store.deleteSchedule(row.id))) pruned += 1;
  }
  return pruned;
}

function endOf(row: ScheduleRow): number {
  try {
    return readStored(row).progress.endedAt ?? row.lastAt ?? row.createdAt;
  } catch {
    return row.lastAt ?? row.createdAt; // It cannot be read, and was ended all the same.
  }
}
