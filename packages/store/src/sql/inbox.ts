import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { InboxMessage } from '../store.ts';
import { pageSize } from './pages.ts';
import { readMessage } from './readers.ts';

/** What a run has not read yet, in the order of arrival. */
export async function listInbox(
  db: Kysely<Tables>,
  { runId, limit }: { readonly runId: string; readonly limit?: number | undefined },
): Promise<readonly InboxMessage[]> {
  const rows = await db
    .selectFrom('inbox')
    .selectAll()
    .where('run_id', '=', runId)
    .where('read_at', 'is', null)
    .orderBy('id')
    .limit(pageSize(limit))
    .execute();
  return rows.map(readMessage);
}
