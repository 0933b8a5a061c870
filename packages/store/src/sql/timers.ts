import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { readInt } from './readers.ts';

/** The timers of a run by name, with the times they are due. */
export async function readTimers(
  db: Kysely<Tables>,
  runId: string,
): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .selectFrom('timers')
    .select(['name', 'due_at'])
    .where('run_id', '=', runId)
    .orderBy('due_at')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.name, readInt(row.due_at)]));
}
