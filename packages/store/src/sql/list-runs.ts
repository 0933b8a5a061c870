import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { Page, RunFilter, RunRow, RunState } from '../store.ts';
import { type Place, pageSize, readPlace, toPage } from './pages.ts';
import { readInt, readRun, runStates } from './readers.ts';

/**
 * A page of runs, newest first. Each page is a short walk of an index, one per state where the index
 * begins with something else and the state: it costs the same however many runs there are.
 */
export async function listRuns(
  db: Kysely<Tables>,
  options: {
    readonly filter?: RunFilter | undefined;
    readonly limit?: number | undefined;
    readonly after?: string | undefined;
  },
): Promise<Page<RunRow>> {
  const { filter = {} } = options;
  const size = pageSize(options.limit);
  const place = readPlace(options.after);
  if (filter.states?.length === 0) return { items: [], next: undefined };

  const [first, ...rest] = walks(filter).map((steps) =>
    walk(db, { filter, ...steps, place, size }),
  );
  if (first === undefined) return { items: [], next: undefined };
  let rows = first;
  for (const next of rest) rows = rows.unionAll(next);
  const found = await db
    .selectFrom(rows.as('page'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute();
  return toPage(found, {
    size,
    read: readRun,
    place: (row) => ({ at: readInt(row.created_at), id: row.id }),
  });
}

/** What one walk of an index meets. */
interface Steps {
  /** Any of these; any at all if empty. */
  readonly states: readonly RunState[];
  /** Runs without a parent (1) or with one (0), where the index has that before the state. */
  readonly top?: number | undefined;
}

/** The indexes by family hold few rows for each: one walk will do. */
function walks({
  states,
  agent,
  tenant,
  parentId,
  rootId,
  label,
  topOnly = false,
}: RunFilter): readonly Steps[] {
  if ((parentId ?? rootId) !== undefined) return [{ states: states ?? [] }];
  if (!topOnly && (states ?? agent ?? tenant ?? label) === undefined) return [{ states: [] }];
  const each = [...new Set(states ?? runStates)].map((state) => ({ states: [state] }));
  if (tenant !== undefined && label === undefined) return each;
  const tops = topOnly ? [1] : [1, 0];
  return tops.flatMap((top) => each.map((steps) => ({ ...steps, top })));
}

interface Walk extends Steps {
  readonly filter: RunFilter;
  readonly place: Place | undefined;
  readonly size: number;
}

function walk(db: Kysely<Tables>, { filter, states, top, place, size }: Walk) {
  const { label } = filter;
  const labelled = db
    .selectFrom('run_labels')
    .innerJoin('runs', 'runs.id', 'run_labels.run_id')
    .selectAll('runs')
    .$if(label !== undefined, (query) =>
      query
        .where('run_labels.name', '=', label?.name ?? '')
        .where('run_labels.value', '=', label?.value ?? ''),
    )
    .$if(place !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('run_labels.created_at', 'run_labels.run_id'), '<', placeTuple(eb, place)),
      ),
    )
    .$if(states.length > 0, (query) => query.where('run_labels.state', 'in', [...states]))
    .$if(top !== undefined, (query) => query.where('run_labels.top', '=', top ?? 0))
    .$if(filter.createdAfter !== undefined, (query) =>
      query.where('run_labels.created_at', '>', filter.createdAfter ?? 0),
    )
    .$if(filter.createdBefore !== undefined, (query) =>
      query.where('run_labels.created_at', '<', filter.createdBefore ?? 0),
    )
    .where((eb) => eb.and(conditions(eb, { filter, states: [] })))
    .orderBy('run_labels.created_at', 'desc')
    .orderBy('run_labels.run_id', 'desc');
  const all = db
    .selectFrom('runs')
    .selectAll('runs')
    .where((eb) => eb.and(conditions(eb, { filter, states, top })))
    .$if(place !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('runs.created_at', 'runs.id'), '<', placeTuple(eb, place)),
      ),
    )
    .orderBy('runs.created_at', 'desc')
    .orderBy('runs.id', 'desc');
  const rows = label === undefined ? all.limit(size + 1) : labelled.limit(size + 1);
  return db.selectFrom(rows.as('walk')).selectAll();
}

function conditions(
  eb: ExpressionBuilder<Tables, 'runs'>,
  { filter, states, top }: Steps & { readonly filter: RunFilter },
): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [];
  const [only] = states;
  if (states.length === 1 && only !== undefined) all.push(eb('runs.state', '=', only));
  if (states.length > 1) all.push(eb('runs.state', 'in', [...states]));
  if (filter.agent !== undefined) all.push(eb('runs.agent', '=', filter.agent));
  if (filter.tenant !== undefined) all.push(eb('runs.tenant', '=', filter.tenant));
  if (filter.parentId !== undefined) all.push(eb('runs.parent_id', '=', filter.parentId));
  if (top !== undefined) all.push(eb('runs.top', '=', top));
  else if (filter.topOnly === true) all.push(eb('runs.parent_id', 'is', null));
  if (filter.rootId !== undefined) all.push(eb('runs.root_id', '=', filter.rootId));
  if (filter.createdAfter !== undefined) all.push(eb('runs.created_at', '>', filter.createdAfter));
  if (filter.createdBefore !== undefined)
    all.push(eb('runs.created_at', '<', filter.createdBefore));
  return all;
}

function placeTuple<DB, TB extends keyof DB>(
  eb: ExpressionBuilder<DB, TB>,
  place: Place | undefined,
) {
  return eb.tuple(place?.at ?? 0, place?.id ?? '');
}
