import type { Kysely } from 'kysely';
import type { OutcomeFilter, OutcomeRow } from '../outcomes/outcome-row.ts';
import type { Tables } from '../schema/tables.ts';
import type { Page } from '../store.ts';
import {
  byKind,
  type OutcomeEventRow,
  type OutcomePlace,
  readOutcomeRows,
} from './outcome-rows.ts';
import { pageSize, readNumberedPlace, writePlace } from './pages.ts';
import { readEvent } from './read-events.ts';
import { readInt } from './readers.ts';

/** What an outcome says of itself is found by reading it: so many for a page, and at a time. */
const mostRead = 5_000;
const fewestAtOnce = 500;

/** A page of outcomes, newest first. Rows that are no outcomes are left out. */
export async function listOutcomes(
  db: Kysely<Tables>,
  {
    filter = {},
    limit,
    after,
    kindOf,
  }: {
    readonly filter?: OutcomeFilter | undefined;
    readonly limit?: number | undefined;
    readonly after?: string | undefined;
    readonly kindOf: string;
  },
): Promise<Page<OutcomeRow>> {
  const size = pageSize(limit);
  const { kind, taskType, agent } = filter;
  const isReadThrough =
    (taskType ?? agent) !== undefined || (kind !== undefined && !byKind(filter));
  const atOnce = isReadThrough ? Math.max(size + 1, fewestAtOnce) : size + 1;
  const items: OutcomeRow[] = [];
  /** Of the last item, and of the last row that was read. */
  let last = readNumberedPlace(after);
  let read = last;
  for (let looked = 0; looked < mostRead; ) {
    const rows = await readOutcomeRows(db, { filter, place: read, limit: atOnce, kindOf });
    for (const row of rows) {
      const outcome = readOutcome(row);
      const place = placeOf(row);
      if (outcome !== undefined && fits(outcome, filter)) {
        if (items.length === size) return { items, next: last && nextOf(last) };
        items.push(outcome);
        last = place;
      }
      read = place;
    }
    if (rows.length < atOnce) return { items, next: undefined };
    looked += rows.length;
  }
  return { items, next: read && nextOf(read) };
}

function placeOf({ at, position }: OutcomeEventRow): OutcomePlace {
  return { at: readInt(at), id: readInt(position) };
}

function nextOf({ at, id }: OutcomePlace): string {
  return writePlace({ at, id: String(id) });
}

/** Undefined for a row that is no outcome of any version we know, and for what a fork only copied. */
function readOutcome(row: OutcomeEventRow): OutcomeRow | undefined {
  if (readInt(row.seq) <= readInt(row.forked_seq)) return undefined;
  const event = readEvent(row);
  if ('broken' in event || event.type !== 'outcome.recorded') return undefined;
  const { type: _type, v: _v, ...outcome } = event;
  return { ...outcome, rootId: row.root_id };
}

function fits(outcome: OutcomeRow, { kind, taskType, agent }: OutcomeFilter): boolean {
  return (
    outcome.kind === (kind ?? outcome.kind) &&
    outcome.taskType === (taskType ?? outcome.taskType) &&
    outcome.agent === (agent ?? outcome.agent)
  );
}
