import { ForgeError } from '@forge/core';
import type { ScheduleRow } from '@forge/store';
import { checkTarget } from './check-target.ts';
import type { ScheduleStore } from './look-at-schedule.ts';
import { checkSpec, type NewSpec } from './new-schedule.ts';
import { nextTime } from './next-time.ts';
import type { ScheduleDesk } from './schedule-desk.ts';
import { type ScheduleView, scheduleView } from './schedule-view.ts';
import { readStored, type StoredSchedule, writeStored } from './stored-schedule.ts';

export interface NewSchedule extends NewSpec {
  readonly id?: string;
  /** Who is spoken to. May be left out where a conversation is named. */
  readonly agent?: string;
  readonly tenant?: string;
  /** The conversation it speaks in. Without it every firing is a new run. */
  readonly runId?: string;
  /** The conversation it is made in, if an agent makes it. */
  readonly origin?: string;
  /** The schedule whose run makes it. */
  readonly madeBy?: string;
}

/** Makes a schedule, within the limits. */
export async function createSchedule(
  desk: ScheduleDesk,
  { id = desk.newId(), agent, tenant, runId, origin, madeBy, ...asked }: NewSchedule,
): Promise<ScheduleView> {
  const { store, limits } = desk;
  const now = await desk.now();
  const { minInterval, maxPerAgent } = limits;
  const spec = checkSpec({ ...asked, zone: asked.zone ?? desk.zone }, { now, minInterval });
  const whose = await checkTarget(store, { agent, tenant, runId });
  const generation = madeBy === undefined ? 0 : await generationAfter(desk, madeBy);
  const known = await countOf(store, whose.agent);
  if (known >= maxPerAgent) {
    throw new ForgeError(
      'not_allowed',
      `Agent "${whose.agent}" has ${known} schedules, and ${maxPerAgent} is the most. Cancel one first.`,
    );
  }
  const nextDue = nextTime(spec, now);
  const progress = { nextDue, count: 0, waiting: [], recent: [] };
  const stored: StoredSchedule = { v: 1, spec, progress, origin, generation };
  const row = await insert(store, {
    id,
    ...whose,
    runId,
    spec: writeStored(stored),
    state: 'active',
    nextAt: nextDue,
    lastAt: undefined,
    createdAt: now,
  });
  const warnings =
    known + 1 < maxPerAgent * 0.8
      ? []
      : [`Agent "${whose.agent}" has ${known + 1} schedules now; ${maxPerAgent} is the most.`];
  return scheduleView(row, { stored, warnings });
}

async function insert(
  store: ScheduleStore,
  schedule: Omit<ScheduleRow, 'version'>,
): Promise<ScheduleRow> {
  try {
    return await store.saveSchedule(schedule, 0);
  } catch (error) {
    if (!ForgeError.is(error, 'seq_conflict')) throw error;
    const what = `there is a schedule "${schedule.id}" already; change that, or use another id`;
    throw new ForgeError('invalid_options', `schedule.id: ${what}`, { cause: error });
  }
}

async function countOf(store: ScheduleStore, agent: string): Promise<number> {
  const active = await store.schedules({ agent, state: 'active' });
  const paused = await store.schedules({ agent, state: 'paused' });
  return active.length + paused.length;
}

/** A schedule whose runs make schedules whose runs make schedules has to stop somewhere. */
async function generationAfter(
  { store, limits: { maxGenerations } }: ScheduleDesk,
  madeBy: string,
): Promise<number> {
  const row = await store.schedule(madeBy);
  const generation = row === undefined ? 1 : readStored(row).generation + 1;
  if (generation < maxGenerations) return generation;
  throw new ForgeError(
    'not_allowed',
    `${maxGenerations} schedules in a row have each made the next one. Make one that repeats instead, or ask a person.`,
  );
}
