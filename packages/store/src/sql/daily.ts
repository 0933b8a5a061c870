import type { Kysely, Selectable } from 'kysely';
import type { WriteTx } from '../engine.ts';
import {
  type DailyTotals,
  type DayRow,
  dailyColumns,
  emptyDay,
} from '../projections/daily-totals.ts';
import type { DailyTable, Tables } from '../schema/tables.ts';
import type { DailyStats, Store } from '../store.ts';
import { readDaily, readInt } from './readers.ts';

/** A year of a day each, for some agents and models; a filter by days gives the rest. */
const mostRows = 10_000;

export async function listStats(
  db: Kysely<Tables>,
  filter: Parameters<Store['stats']>[0] = {},
): Promise<readonly DailyStats[]> {
  let query = db.selectFrom('daily_stats').selectAll();
  if (filter.agent !== undefined) query = query.where('agent', '=', filter.agent);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.from !== undefined) query = query.where('day', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('day', '<=', filter.to);
  const rows = await query
    .orderBy('day', 'desc')
    .orderBy('agent', 'desc')
    .orderBy('model', 'desc')
    .limit(mostRows)
    .execute();
  return rows.map(readDaily).reverse();
}

/** The counts of a row, as the projection adds them. */
export function readTotals(row: Selectable<DailyTable>): DailyTotals {
  const totals = emptyDay();
  for (const column of dailyColumns) totals[column] = readInt(row[column]);
  return totals;
}

/** Adds to the row of a day, which is made if it is the first. */
export async function addDaily(
  { db }: Pick<WriteTx, 'db'>,
  { table, day, agent, model, totals }: DayRow & { readonly table: 'daily_stats' | 'daily_base' },
): Promise<void> {
  await db
    .insertInto(table)
    .values({ day, agent, model, ...totals })
    .onConflict((conflict) =>
      conflict.columns(['day', 'agent', 'model']).doUpdateSet((eb) => {
        const sums = dailyColumns.map((column) => [
          column,
          eb(eb.ref(`${table}.${column}`), '+', eb.ref(`excluded.${column}`)),
        ]);
        return Object.fromEntries(sums);
      }),
    )
    .execute();
}
