import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Milliseconds until a run or a schedule is due, 0 if one is; undefined if none ever is. */
export async function nextDue(db: Kysely<Tables>, now: number): Promise<number | undefined> {
  // The states are written out, not bound: only then the partial indexes serve.
  const { rows } = await sql<{ run: unknown; schedule: unknown }>`select
    (select due_at from runs where state = 'open' and due_at is not null
      order by due_at limit 1) as run,
    (select next_at from schedules where state = 'active' and next_at is not null
      order by next_at limit 1) as schedule`.execute(db);
  const times = [rows[0]?.run, rows[0]?.schedule].flatMap((at) =>
    at === null || at === undefined ? [] : [Number(at)],
  );
  return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - now);
}
