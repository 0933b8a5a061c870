import type { Kysely } from 'kysely';
import { dailyColumns } from '../projections/daily-totals.ts';
import type { Tables } from '../schema/tables.ts';
import { readDaily } from '../sql/readers.ts';
import type { DailyStats, Store } from '../store.ts';

const mostRows = 10_000;

/** As `listStats`, with the shards of each day added up. */
export async function listStats(
  db: Kysely<Tables>,
  filter: Parameters<Store['stats']>[0] = {},
): Promise<readonly DailyStats[]> {
  let query = db
    .selectFrom('daily_stats')
    .select(['day', 'agent', 'model'])
    .select(({ fn, cast }) =>
      dailyColumns.map((column) => cast<number>(fn.sum(column), 'bigint').as(column)),
    )
    .groupBy(['day', 'agent', 'model']);
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
