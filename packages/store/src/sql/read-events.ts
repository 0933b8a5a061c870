import { isJsonObject, messageOf, parseEvent, type RunEvent } from '@forge/core';
import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { BrokenEvent } from '../store.ts';
import { readInt } from './readers.ts';

/** A row of the log with its payload, wherever that was kept. */
export interface EventRow {
  readonly run_id: string;
  readonly seq: number;
  readonly v: number;
  readonly at: number;
  readonly data: string | null;
  /** The hash of a payload that was too long for the row, and its bytes if they are there. */
  readonly blob: string | null;
  readonly bytes: Uint8Array | null;
}

/** The columns of an `EventRow`; `bytes` comes from a left join of `blobs`. */
export const eventColumns = [
  'events.run_id',
  'events.seq',
  'events.v',
  'events.at',
  'events.data',
  'events.blob',
  'blobs.bytes',
] as const;

/** An event as it was written; what cannot be one is told, not thrown: a bad row stops nobody. */
export function readEvent(row: EventRow): RunEvent | BrokenEvent {
  const seq = readInt(row.seq);
  try {
    const value: unknown = JSON.parse(textOf(row));
    if (!isJsonObject(value)) return { seq, broken: 'Its data is not an object.' };
    return parseEvent({ ...value, v: readInt(row.v), runId: row.run_id, seq, at: readInt(row.at) });
  } catch (error) {
    return { seq, broken: messageOf(error) };
  }
}

export function isBroken(event: RunEvent | BrokenEvent): event is BrokenEvent {
  return 'broken' in event;
}

function textOf({ data, blob, bytes }: EventRow): string {
  if (data !== null) return data;
  if (bytes !== null) return Buffer.from(bytes).toString();
  throw new Error(`Its payload ${blob} is not in the store.`);
}

const longestPage = 10_000;

/** Events of a run after one of them, in order. */
export async function readEvents(
  db: Kysely<Tables>,
  {
    runId,
    after = 0,
    limit = longestPage,
  }: {
    readonly runId: string;
    readonly after?: number | undefined;
    readonly limit?: number | undefined;
  },
): Promise<readonly (RunEvent | BrokenEvent)[]> {
  const rows = await db
    .selectFrom('events')
    .leftJoin('blobs', 'blobs.hash', 'events.blob')
    .select(eventColumns)
    .where('events.run_id', '=', runId)
    .where('events.seq', '>', after)
    .orderBy('events.seq')
    .limit(Math.min(limit, longestPage))
    .execute();
  return rows.map(readEvent);
}

/** All events of a run up to one of them, a page at a time. */
export async function* walkEvents(
  db: Kysely<Tables>,
  {
    runId,
    upTo = Number.MAX_SAFE_INTEGER,
    after = 0,
  }: {
    readonly runId: string;
    readonly upTo?: number;
    readonly after?: number;
  },
): AsyncGenerator<RunEvent | BrokenEvent> {
  const page = 500;
  let last = after;
  for (;;) {
    const events = await readEvents(db, { runId, after: last, limit: page });
    for (const event of events) {
      if (event.seq > upTo) return;
      yield event;
      last = event.seq;
    }
    if (events.length < page) return;
  }
}
