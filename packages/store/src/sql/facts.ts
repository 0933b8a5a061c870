import { ForgeError } from '@forge/core';
import type { Kysely, Selectable } from 'kysely';
import { asText } from '../as-text.ts';
import type { WriteTx } from '../engine.ts';
import type { checkFact } from '../memory/check-fact.ts';
import type { FactIndex } from '../memory/fact-index.ts';
import { type Fact, factLimits, type Remembered } from '../memory/memory-store.ts';
import { wordsOf } from '../memory/words.ts';
import type { FactsTable, Tables } from '../schema/tables.ts';
import type { Page } from '../store.ts';
import { pageSize, readNumberedPlace, toPage } from './pages.ts';
import { readInt } from './readers.ts';

type CheckedFact = ReturnType<typeof checkFact>;
type FactRow = Selectable<FactsTable>;

const columns = ['id', 'scope', 'key', 'value', 'source', 'created_at', 'updated_at'] as const;
/** Between two looks somebody else may have added or forgotten it; more than once is unlikely. */
const attempts = 5;

export async function rememberFact(
  tx: WriteTx,
  { fact, index }: { readonly fact: CheckedFact; readonly index: FactIndex },
): Promise<{ readonly fact: Fact; readonly outcome: Remembered }> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const changed = await changeFact(tx, fact);
    const written = changed ?? (await insertFact(tx, fact));
    if (written !== undefined) {
      const words = { key: wordsOf(fact.key), value: wordsOf(fact.value) };
      await index.set(tx, { id: readInt(written.id), scope: fact.scope, ...words });
      return { fact: readFact(written), outcome: changed === undefined ? 'new' : 'changed' };
    }
    const known = await findFact(tx.db, fact);
    if (known?.value === fact.value) return { fact: readFact(known), outcome: 'same' };
  }
  throw new ForgeError(
    'store_failed',
    `Others change the fact "${fact.key}" all the time. Try again.`,
  );
}

function changeFact(
  { db, now }: WriteTx,
  { scope, key, value, source }: CheckedFact,
): Promise<FactRow | undefined> {
  return db
    .updateTable('facts')
    .set({ value, source, updated_at: now })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('value', '<>', value)
    .returning(columns)
    .executeTakeFirst();
}

/** Undefined if it is there. */
async function insertFact({ db, now }: WriteTx, fact: CheckedFact): Promise<FactRow | undefined> {
  if ((await findFact(db, fact)) !== undefined) return undefined;
  const { count } = await db
    .selectFrom('facts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('scope', '=', fact.scope)
    .executeTakeFirstOrThrow();
  if (Number(count) >= factLimits.facts) {
    throw new ForgeError(
      'not_allowed',
      `"${fact.scope}" remembers ${factLimits.facts} facts already. Forget some first.`,
    );
  }
  return db
    .insertInto('facts')
    .values({ ...fact, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['scope', 'key']).doNothing())
    .returning(columns)
    .executeTakeFirst();
}

export function findFact(
  db: Kysely<Tables>,
  { scope, key }: { readonly scope: string; readonly key: string },
): Promise<FactRow | undefined> {
  return db
    .selectFrom('facts')
    .select(columns)
    .where('scope', '=', asText(scope))
    .where('key', '=', asText(key))
    .executeTakeFirst();
}

/** In the order of the ids; those that are gone are left out. */
export async function readFacts(
  db: Kysely<Tables>,
  ids: readonly number[],
): Promise<readonly Fact[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('facts')
    .select(columns)
    .where('id', 'in', [...ids])
    .execute();
  const byId = new Map(rows.map((row) => [readInt(row.id), readFact(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export async function listFacts(
  db: Kysely<Tables>,
  {
    scope,
    limit,
    after,
  }: { readonly scope: string; readonly limit?: number; readonly after?: string },
): Promise<Page<Fact>> {
  const size = pageSize(limit);
  const place = readNumberedPlace(after);
  let query = db.selectFrom('facts').select(columns).where('scope', '=', asText(scope));
  if (place !== undefined) {
    query = query.where((eb) =>
      eb(eb.refTuple('updated_at', 'id'), '<', eb.tuple(place.at, place.id)),
    );
  }
  const rows = await query
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute();
  return toPage(rows, {
    size,
    read: readFact,
    place: (row) => ({ at: readInt(row.updated_at), id: String(row.id) }),
  });
}

export async function forgetFacts(
  tx: WriteTx,
  {
    which,
    index,
  }: {
    readonly which:
      | { readonly scope: string; readonly key: string }
      | { readonly before: number; readonly scope: string | undefined; readonly limit: number };
    readonly index: FactIndex;
  },
): Promise<number> {
  const { db } = tx;
  let chosen = db.selectFrom('facts').select('id');
  if (which.scope !== undefined) chosen = chosen.where('scope', '=', asText(which.scope));
  chosen =
    'key' in which
      ? chosen.where('key', '=', asText(which.key))
      : chosen
          .where('updated_at', '<', Math.trunc(which.before))
          .orderBy('updated_at')
          .orderBy('id')
          .limit(which.limit);
  const gone = await db.deleteFrom('facts').where('id', 'in', chosen).returning('id').execute();
  await index.remove(
    tx,
    gone.map(({ id }) => readInt(id)),
  );
  return gone.length;
}

export function readFact(row: FactRow): Fact {
  return {
    scope: row.scope,
    key: row.key,
    value: row.value,
    source: row.source ?? undefined,
    createdAt: readInt(row.created_at),
    updatedAt: readInt(row.updated_at),
  };
}
