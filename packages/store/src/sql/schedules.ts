import { ForgeError } from '@forge/core';
import { type Insertable, type Kysely, type SqlBool, sql } from 'kysely';
import type { WriteTx } from '../engine.ts';
import type { SchedulesTable, Tables } from '../schema/tables.ts';
import type { ScheduleFiring, ScheduleRow } from '../store.ts';
import { writeJson } from './json.ts';
import { pageSize } from './pages.ts';
import { readFiring, readInt, readSchedule } from './readers.ts';

/** A list of schedules is a list a person keeps. */
const mostListed = 10_000;

export function toScheduleColumns(
  schedule: Omit<ScheduleRow, 'version'>,
): Omit<Insertable<SchedulesTable>, 'version'> {
  return {
    id: schedule.id,
    agent: schedule.agent,
    tenant: schedule.tenant ?? '',
    run_id: schedule.runId ?? null,
    spec: writeJson(schedule.spec),
    state: schedule.state,
    next_at: schedule.nextAt === undefined ? null : Math.trunc(schedule.nextAt),
    last_at: schedule.lastAt === undefined ? null : Math.trunc(schedule.lastAt),
    created_at: Math.trunc(schedule.createdAt),
  };
}

/**
 * Saves a schedule. With an expected version it is changed only if it is still that one (0: only if
 * it is new), else `seq_conflict`.
 */
export async function saveSchedule(
  { db, wakeSchedulers }: WriteTx,
  {
    schedule,
    expectedVersion,
  }: {
    readonly schedule: Omit<ScheduleRow, 'version'>;
    readonly expectedVersion?: number | undefined;
  },
): Promise<ScheduleRow> {
  const columns = toScheduleColumns(schedule);
  const before = await db
    .selectFrom('schedules')
    .select('version')
    .where('id', '=', schedule.id)
    .executeTakeFirst();
  const version = before === undefined ? 0 : readInt(before.version);
  if (expectedVersion !== undefined && expectedVersion !== version)
    throw changedMeanwhile(schedule.id);
  const written =
    version === 0
      ? (
          await db
            .insertInto('schedules')
            .values({ ...columns, version: 1 })
            .onConflict((conflict) => conflict.column('id').doNothing())
            .executeTakeFirst()
        ).numInsertedOrUpdatedRows
      : (
          await db
            .updateTable('schedules')
            .set({ ...columns, version: version + 1 })
            .where('id', '=', schedule.id)
            .where('version', '=', version)
            .executeTakeFirst()
        ).numUpdatedRows;
  if (written !== 1n) throw changedMeanwhile(schedule.id);
  wakeSchedulers();
  return { ...schedule, version: version + 1 };
}

export function changedMeanwhile(id: string): ForgeError {
  return new ForgeError('seq_conflict', `Schedule "${id}" was changed meanwhile. Read it again.`);
}

export async function getSchedule(
  db: Kysely<Tables>,
  id: string,
): Promise<ScheduleRow | undefined> {
  const row = await db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();
  return row && readSchedule(row);
}

export async function listSchedules(
  db: Kysely<Tables>,
  filter: { readonly agent?: string; readonly state?: ScheduleRow['state'] } = {},
): Promise<readonly ScheduleRow[]> {
  let query = db.selectFrom('schedules').selectAll();
  if (filter.agent !== undefined) query = query.where('agent', '=', filter.agent);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  const rows = await query.orderBy('created_at').orderBy('id').limit(mostListed).execute();
  return rows.map(readSchedule);
}

/** Due ones, longest first. */
export async function dueSchedules(
  db: Kysely<Tables>,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly ScheduleRow[]> {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where(sql<SqlBool>`state = 'active'`)
    .where('next_at', 'is not', null)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(pageSize(limit))
    .execute();
  return rows.map(readSchedule);
}

export async function deleteSchedule({ db }: WriteTx, id: string): Promise<boolean> {
  const gone = await db.deleteFrom('schedules').where('id', '=', id).executeTakeFirst();
  return gone.numDeletedRows === 1n;
}

/** Newest first. */
export async function listFirings(
  db: Kysely<Tables>,
  { scheduleId, limit }: { readonly scheduleId: string; readonly limit?: number | undefined },
): Promise<readonly ScheduleFiring[]> {
  const rows = await db
    .selectFrom('firings')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('due_at', 'desc')
    .limit(pageSize(limit))
    .execute();
  return rows.map(readFiring);
}
