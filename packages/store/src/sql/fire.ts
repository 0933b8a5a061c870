import { ForgeError } from '@forge/core';
import type { WriteTx } from '../engine.ts';
import type { ScheduleFiring, Store } from '../store.ts';
import { insertMessage } from './insert-message.ts';
import { insertRun } from './insert-run.ts';
import { toScheduleColumns } from './schedules.ts';

/** The history of a schedule; older firings go as new ones come. */
const keptFirings = 1_000;

/**
 * One firing of a schedule, all of it or nothing. False if the schedule is not of that version any
 * more; `already_decided` if one of the times fired before, which a schedule that was set back can
 * ask for.
 */
export async function fireSchedule(
  tx: WriteTx,
  { schedule, expectedVersion, firings, sends = [], starts = [] }: Parameters<Store['fire']>[0],
): Promise<boolean> {
  const moved = await tx.db
    .updateTable('schedules')
    .set({ ...toScheduleColumns(schedule), version: expectedVersion + 1 })
    .where('id', '=', schedule.id)
    .where('version', '=', expectedVersion)
    .executeTakeFirst();
  if (moved.numUpdatedRows !== 1n) return false;
  for (const firing of firings) await noteFiring(tx, firing);
  if (firings.length > 0) await forgetOldFirings(tx, schedule.id);
  for (const start of starts) await insertRun(tx, start);
  for (const send of sends) await insertMessage(tx, send);
  return true;
}

async function noteFiring({ db }: WriteTx, firing: ScheduleFiring): Promise<void> {
  const inserted = await db
    .insertInto('firings')
    .values({
      schedule_id: firing.scheduleId,
      due_at: Math.trunc(firing.dueAt),
      at: Math.trunc(firing.at),
      outcome: firing.outcome,
      detail: firing.detail ?? null,
      run_id: firing.runId ?? null,
    })
    .onConflict((conflict) => conflict.columns(['schedule_id', 'due_at']).doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) {
    throw new ForgeError(
      'already_decided',
      `Schedule "${firing.scheduleId}" fired for ${new Date(firing.dueAt).toISOString()} before. Move it to its next time.`,
    );
  }
}

async function forgetOldFirings({ db }: WriteTx, scheduleId: string): Promise<void> {
  const oldest = await db
    .selectFrom('firings')
    .select('due_at')
    .where('schedule_id', '=', scheduleId)
    .orderBy('due_at', 'desc')
    .offset(keptFirings)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await db
    .deleteFrom('firings')
    .where('schedule_id', '=', scheduleId)
    .where('due_at', '<=', oldest.due_at)
    .execute();
}
