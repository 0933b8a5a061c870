import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * A database that was restored from a dump on another server has events with transaction numbers of
 * that server, some of which this one has yet to reach: the feed would not show them. They become
 * events of this transaction, in their order.
 */
export async function adoptEvents(db: Kysely<Tables>): Promise<void> {
  const ahead = sql`tx >= pg_snapshot_xmax(pg_current_snapshot())`;
  const found = await sql`select 1 from events where ${ahead} limit 1`.execute(db);
  if (found.rows.length > 0) await sql`update events set tx = pg_current_xact_id()`.execute(db);
}
