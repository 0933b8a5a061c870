import { ForgeError } from '@forge/core';
import type { ScheduleRow } from '@forge/store';
import { checkTarget } from './check-target.ts';
import { checkSpec, type NewSpec } from './new-schedule.ts';
import { nextTime } from './next-time.ts';
import { noSchedule, type ScheduleDesk } from './schedule-desk.ts';
import { type ScheduleView, scheduleView } from './schedule-view.ts';
import { readStored, type StoredSchedule, writeStored } from './stored-schedule.ts';

export type ScheduleChanges = Partial<NewSpec> & { readonly runId?: string };

interface Changed {
  readonly state: ScheduleRow['state'];
  readonly runId?: string | undefined;
  readonly stored: StoredSchedule;
}
type Edit = (row: ScheduleRow, now: number) => Changed | Promise<Changed>;

const mostTries = 10;

/** Changes a schedule as it stands. A firing that comes between is read again, not written over. */
export async function changeSchedule(
  { store, now }: ScheduleDesk,
  id: string,
  edit: Edit,
): Promise<ScheduleView> {
  for (let tries = 1; ; tries += 1) {
    const row = await store.schedule(id);
    if (row === undefined) throw noSchedule(id);
    const { stored, state, runId = row.runId } = await edit(row, await now());
    const { version, ...before } = row;
    // What waits for the firing before it is looked at soon after.
    const nextAt = stored.progress.waiting.length > 0 ? await now() : stored.progress.nextDue;
    const changed = {
      ...before,
      state,
      runId,
      spec: writeStored(stored),
      nextAt: state === 'active' ? nextAt : undefined,
    };
    try {
      return scheduleView(await store.saveSchedule(changed, version), { stored });
    } catch (error) {
      if (!ForgeError.is(error, 'seq_conflict') || tries === mostTries) throw error;
    }
  }
}

export function updating(desk: ScheduleDesk, { runId, ...changes }: ScheduleChanges): Edit {
  return async (row, now) => {
    const stored = readOpen(row);
    const { minInterval } = desk.limits;
    const isSameTimetable =
      changes.rule === undefined && changes.zone === undefined && changes.until === undefined;
    const spec = checkSpec({ ...stored.spec, ...changes }, { now, minInterval });
    if (runId !== undefined) await checkTarget(desk.store, { ...row, runId });
    const nextDue = isSameTimetable ? stored.progress.nextDue : nextTime(spec, now);
    const progress = { ...stored.progress, nextDue };
    return { state: row.state, runId, stored: { ...stored, spec, progress } };
  };
}

export const pausing: Edit = (row) => ({ state: 'paused', stored: readOpen(row) });

/** From now on: what passed meanwhile was not missed, it was not wanted. */
export const resuming: Edit = (row, now) => {
  const stored = readOpen(row);
  if (row.state === 'active') return { state: 'active', stored };
  const nextDue = nextTime(stored.spec, now);
  if (nextDue === undefined && stored.progress.waiting.length === 0) {
    throw new ForgeError(
      'not_allowed',
      `Schedule "${row.id}" has no time left to be due. Update its rule, or make a new one.`,
    );
  }
  const progress = { ...stored.progress, nextDue };
  return { state: 'active', stored: { ...stored, progress } };
};

export const ending: Edit = (row, now) => {
  const stored = readStored(row);
  const endedAt = stored.progress.endedAt ?? now;
  const progress = { ...stored.progress, waiting: [], endedAt };
  return { state: 'ended', stored: { ...stored, progress } };
};

function readOpen(row: ScheduleRow): StoredSchedule {
  if (row.state !== 'ended') return readStored(row);
  throw new ForgeError('not_allowed', `Schedule "${row.id}" has ended. Make a new one.`);
}
