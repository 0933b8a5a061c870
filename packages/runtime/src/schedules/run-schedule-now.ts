import { ForgeError } from '@forge/core';
import { countsUse, settle } from './budget.ts';
import { deliver } from './deliver.ts';
import { lookAtSchedule } from './look-at-schedule.ts';
import { noSchedule, type ScheduleDesk } from './schedule-desk.ts';
import { readStored, writeStored } from './stored-schedule.ts';

const mostTries = 10;

/**
 * Fires a schedule beside its rule: pause, overlap and budget do not hold up a person, though what
 * it uses counts. Gives the run that works on it.
 */
export async function runScheduleNow(
  { store, now: clock }: ScheduleDesk,
  id: string,
  { by }: { readonly by?: string } = {},
): Promise<{ readonly runId: string }> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const row = await store.schedule(id);
    if (row === undefined) throw noSchedule(id);
    const stored = readStored(row);
    const now = await clock();
    const { spec, progress } = stored;
    const { target, readings } = await lookAtSchedule(store, { row, stored, now });
    if (target?.state === 'cancelled') {
      throw new ForgeError(
        'not_allowed',
        `The conversation ${row.runId} of schedule "${id}" was cancelled. Name another one first.`,
      );
    }
    const byHand = by === undefined ? 'Run now by hand.' : `Run now by ${by}.`;
    // Each due time is used once: somebody else may have asked in the same millisecond.
    const due = { dueAt: now + tries };
    const done = deliver({ row, spec, due, now, target, replaces: [], byHand });
    const { runId } = done.recent;
    const settled = settle({ spec, spent: progress.spent, readings, now });
    const isFollowed =
      !countsUse(spec.budget) || settled?.accounts.some((account) => account.runId === runId);
    const spent = settled && {
      ...settled,
      firings: settled.firings + 1,
      accounts: isFollowed ? settled.accounts : [...settled.accounts, done.account],
    };
    const recent = [...progress.recent, done.recent].slice(-20);
    const { version: expectedVersion, ...before } = row;
    try {
      const isDone = await store.fire({
        schedule: {
          ...before,
          spec: writeStored({ ...stored, progress: { ...progress, recent, spent } }),
          lastAt: now,
        },
        expectedVersion,
        firings: [
          {
            scheduleId: id,
            dueAt: due.dueAt,
            at: now,
            outcome: 'fired',
            runId,
            detail: done.notes.join(' '),
          },
        ],
        sends: done.sends,
        starts: done.starts,
      });
      if (isDone) return { runId };
    } catch (error) {
      if (!ForgeError.is(error, 'already_decided')) throw error;
    }
  }
  throw new ForgeError('seq_conflict', `Schedule "${id}" keeps changing. Try again.`);
}
