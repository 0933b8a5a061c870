import type pg from 'pg';
import { type EventRow, readEvent } from '../sql/read-events.ts';
import type { StoredEvent } from '../store.ts';
import { type FeedPlace, readFeedCursor, writeFeedCursor } from './feed-cursor.ts';
import { findOldestWriter } from './oldest-writer.ts';
import type { Signals } from './signals.ts';
import type { Transactions } from './transactions.ts';

const pageSize = 200;
/** Between looks at rows that have to wait for an older transaction, which ends without a word. */
const shortest = 2;
const longest = 100;

interface FeedRow extends EventRow {
  readonly tx: string;
  readonly position: number;
  /** No row can come before it any more. */
  readonly settled: boolean;
}

/**
 * Transactions get their numbers when they begin to write and commit in another order. The feed goes
 * by the numbers, so that it is the same for every reader, and gives a row once no older transaction
 * is under way that could still add one before it.
 *
 * $1, $2: the place after which to read. $3: the oldest that is under way; if null, any at all
 * counts, which is quick to find out.
 */
const page = `
  select events.tx::text as tx, events.position, events.run_id, events.seq, events.v, events.at,
    events.data, events.blob, blobs.bytes,
    events.tx < coalesce($3::xid8, pg_snapshot_xmin(pg_current_snapshot())) as settled
  from events left join blobs on blobs.hash = events.blob
  where (events.tx, events.position) > ($1::xid8, $2::bigint)
  order by events.tx, events.position
  limit ${pageSize}`;

async function readRows(
  client: pg.ClientBase,
  { tx, position }: FeedPlace,
  oldest: string | null,
): Promise<readonly FeedRow[]> {
  const values = [tx, position, oldest];
  const { rows } = await client.query<FeedRow>({ name: 'forge_feed', text: page, values });
  return rows;
}

async function readPage(client: pg.ClientBase, place: FeedPlace) {
  let rows = await readRows(client, place, null);
  if (rows[0]?.settled === false) {
    rows = await readRows(client, place, await findOldestWriter(client));
  }
  const settled = rows.findIndex((row) => !row.settled);
  return settled === -1
    ? { rows, more: rows.length === pageSize, waiting: false }
    : { rows: rows.slice(0, settled), more: false, waiting: true };
}

/** The place before all that is not settled: whoever reads from it later misses nothing new. */
export async function settledCursor(client: pg.ClientBase): Promise<string> {
  return writeFeedCursor({ tx: await findOldestWriter(client), position: 0 });
}

/** All events after a cursor, then each as it comes. A slow reader costs one page of memory. */
export async function* readFeed({
  from,
  signal,
  signals,
  transactions,
}: {
  readonly from: string | undefined;
  readonly signal: AbortSignal;
  readonly signals: Signals;
  readonly transactions: Transactions;
}): AsyncGenerator<StoredEvent> {
  let place = readFeedCursor(from);
  let pause = shortest;
  while (!signal.aborted) {
    const { version } = signals;
    const { rows, more, waiting } = await transactions.read(({ client }) =>
      readPage(client, place),
    );
    for (const row of rows) {
      if (signal.aborted) return;
      place = { tx: row.tx, position: row.position };
      yield { cursor: writeFeedCursor(place), runId: row.run_id, event: readEvent(row) };
    }
    if (more) continue;
    pause = rows.length > 0 || !waiting ? shortest : Math.min(pause * 2, longest);
    await signals.moved({ seen: version, signal, within: waiting ? pause : undefined });
  }
}
