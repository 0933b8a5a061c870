import { sql } from 'kysely';
import type { FactHit, FactIndex } from '../memory/fact-index.ts';
import { findsLonger } from '../memory/words.ts';
import { readInt } from '../sql/readers.ts';

/** What stands in front of a word tells where it was: in the key or in the value. */
const places = ['k', 'v'] as const;

/** A `tsvector` of our own words, under a GIN index. No dictionary has a say. */
export const postgresFactIndex: FactIndex = {
  async set({ db }, { id, key, value }) {
    const lexemes = [...key.map((word) => `k${word}`), ...value.map((word) => `v${word}`)];
    await sql`update facts set words = array_to_tsvector(${lexemes}::text[]) where id = ${id}`.execute(
      db,
    );
  },

  // The words are in the fact's own row.
  remove: async () => {},

  async find(db, { scope, words }) {
    if (words.length === 0) return [];
    const looks = words.flatMap((word) =>
      places.map((place) => `'${place}${word}'${findsLonger(word) ? ':*' : ''}`),
    );
    const bits = looks.map(
      (look, index) =>
        sql`case when words @@ ${look}::tsquery then ${sql.lit(2 ** index)}::bigint else 0 end`,
    );
    const { rows } = await sql<{ id: number; updated_at: number; bits: number }>`
      select id, updated_at, ${sql.join(bits, sql` + `)} as bits
      from facts where scope = ${scope} and words @@ ${looks.join(' | ')}::tsquery`.execute(db);
    return rows.map(
      (row): FactHit => ({
        id: readInt(row.id),
        updatedAt: readInt(row.updated_at),
        bits: readInt(row.bits),
      }),
    );
  },
};
