import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Milliseconds until a run or a schedule is due, 0 if one is; undefined if none ever is. */
export async function nextDue(db: Kysely<Tables>, now: number): Promise<number | undefined> {
  // The states are written out, not bound: only then the partial indexes serve.
  const run = await db
    .selectFrom('runs')
    .select('due_at as at')
    .where(sql<SqlBool>`state = 'open'`)
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  const schedule = await db
    .selectFrom('schedules')
    .select('next_at as at')
    .where(sql<SqlBool>`state = 'active'`)
    .where('next_at', 'is not', null)
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst();
  const times = [run?.at, schedule?.at].flatMap((at) =>
    at === null || at === undefined ? [] : [Number(at)],
  );
  return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - now);
}
