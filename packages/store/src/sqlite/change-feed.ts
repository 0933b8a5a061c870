import { ForgeError } from '@forge/core';
import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { eventColumns, readEvent } from '../sql/read-events.ts';
import type { StoredEvent } from '../store.ts';
import type { CommitSignal } from './commit-signal.ts';

/** A slow reader holds this many events, and no more. */
const page = 100;

/**
 * All events by position, which only one writer at a time gives: the order of positions is the order
 * of commits, and nothing ever appears before a place that was read.
 */
export async function* changeFeed({
  from,
  signal,
  committed,
  read,
}: {
  readonly from: string | undefined;
  readonly signal: AbortSignal;
  readonly committed: CommitSignal;
  readonly read: <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;
}): AsyncGenerator<StoredEvent> {
  let position = readCursor(from);
  while (!signal.aborted) {
    const { number } = committed;
    const after = position;
    const rows = await read((db) => readPage(db, after));
    for (const row of rows) {
      if (signal.aborted) return;
      position = Number(row.position);
      yield { cursor: String(position), runId: row.run_id, event: readEvent(row) };
    }
    if (rows.length < page) await committed.past(number, signal);
  }
}

/** The cursor of the last event there is. */
export async function lastPosition(db: Kysely<Tables>): Promise<string> {
  const last = db.selectFrom('events').select((eb) => eb.fn.max('position').as('position'));
  return String((await last.executeTakeFirst())?.position ?? 0);
}

function readPage(db: Kysely<Tables>, after: number) {
  return db
    .selectFrom('events')
    .leftJoin('blobs', 'blobs.hash', 'events.blob')
    .select(eventColumns)
    .select('events.position')
    .where('events.position', '>', after)
    .orderBy('events.position')
    .limit(page)
    .execute();
}

function readCursor(from: string | undefined): number {
  if (from === undefined) return 0;
  if (/^\d{1,16}$/.test(from)) return Number(from);
  throw new ForgeError(
    'invalid_options',
    `"${from}" is no cursor of this store. Leave it out to begin at the start.`,
  );
}
