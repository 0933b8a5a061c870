import { type Kysely, type SqlBool, sql } from 'kysely';
import type { OutcomeFilter } from '../outcomes/outcome-row.ts';
import type { Tables } from '../schema/tables.ts';
import type { readNumberedPlace } from './pages.ts';
import { type EventRow, eventColumns } from './read-events.ts';

/** A row's time and number: one that comes later does not move it. */
export type OutcomePlace = NonNullable<ReturnType<typeof readNumberedPlace>>;

/** A row of the log that should hold an outcome. */
export interface OutcomeEventRow extends EventRow {
  readonly position: number;
  readonly root_id: string;
  readonly forked_seq: number;
}

export interface OutcomeWalk {
  readonly filter: OutcomeFilter;
  /** The rows after this one. */
  readonly place: OutcomePlace | undefined;
  readonly limit: number;
  /** The kind of an outcome in this make's SQL, as its index has it. */
  readonly kindOf: string;
}

/** As the indexes say it: with a parameter in its place SQLite would not use them. */
const isOutcome = sql<SqlBool>`events.type = 'outcome.recorded'`;
/** Of an outcome that is too long for its row, or damaged. */
const unknownKind = '';

/** Newest first: short walks of an index, by kind, by run and family, or by time alone. */
export function readOutcomeRows(
  db: Kysely<Tables>,
  walk: OutcomeWalk,
): Promise<readonly OutcomeEventRow[]> {
  const { kind } = walk.filter;
  const known = byKind(walk.filter) && kind !== undefined;
  const rows = known
    ? walkRows(db, walk, kind).unionAll(walkRows(db, walk, unknownKind))
    : walkRows(db, walk, undefined);
  return db
    .selectFrom(rows.as('page'))
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('position', 'desc')
    .limit(walk.limit)
    .execute();
}

/** Whether rows are found by their kind. Those of a run or a family are few: they are read through. */
export function byKind({ kind, runId, rootId }: OutcomeFilter): boolean {
  return kind !== undefined && (runId ?? rootId) === undefined;
}

function walkRows(
  db: Kysely<Tables>,
  { filter, place, limit, kindOf }: OutcomeWalk,
  kind: string | undefined,
) {
  const { runId, rootId, after, before } = filter;
  const rows = db
    .selectFrom('events')
    .innerJoin('runs', 'runs.id', 'events.run_id')
    .leftJoin('blobs', 'blobs.hash', 'events.blob')
    .select(eventColumns)
    .select(['events.position', 'runs.root_id', 'runs.forked_seq'])
    .where(isOutcome)
    .$if(kind !== undefined, (query) => query.where(sql<SqlBool>`${sql.raw(kindOf)} = ${kind}`))
    .$if(runId !== undefined, (query) => query.where('events.run_id', '=', runId ?? ''))
    .$if(rootId !== undefined, (query) =>
      query.where('events.run_id', 'in', (eb) =>
        eb
          .selectFrom('runs as kin')
          .select('kin.id')
          .where('kin.root_id', '=', rootId ?? ''),
      ),
    )
    .$if(after !== undefined, (query) => query.where('events.at', '>', after ?? 0))
    .$if(before !== undefined, (query) => query.where('events.at', '<', before ?? 0))
    .$if(place !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('events.at', 'events.position'),
          '<',
          eb.tuple(place?.at ?? 0, place?.id ?? 0),
        ),
      ),
    )
    .orderBy('events.at', 'desc')
    .orderBy('events.position', 'desc')
    .limit(limit);
  return db.selectFrom(rows.as('walk')).selectAll();
}
