import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { FactHit, FactIndex } from '../memory/fact-index.ts';
import { findsLonger } from '../memory/words.ts';
import { readInt } from '../sql/readers.ts';

/** FTS5, which keeps words and no text. */
export const sqliteFactIndex: FactIndex = {
  async set({ db }, { id, scope, key, value }) {
    await sql`delete from fact_words where rowid = ${id}`.execute(db);
    await sql`insert into fact_words (rowid, scope, key, value)
      values (${id}, ${scopeWord(scope)}, ${key.join(' ')}, ${value.join(' ')})`.execute(db);
  },

  async remove({ db }, ids) {
    for (const id of ids) await sql`delete from fact_words where rowid = ${id}`.execute(db);
  },

  async find(db, { scope, words }) {
    if (words.length === 0) return [];
    const own = `scope : "${scopeWord(scope)}"`;
    const looks = words.flatMap((word, index) => {
      const term = `"${word}"${findsLonger(word) ? '*' : ''}`;
      return ['key', 'value'].map((column, place) => {
        const bit = 2 ** (2 * index + place);
        const match = `${own} AND ${column} : ${term}`;
        return sql`select rowid as id, ${sql.lit(bit)} as bit from fact_words where fact_words match ${match}`;
      });
    });
    const { rows } = await sql<{ id: number; updated_at: number; bits: number }>`
      select facts.id, facts.updated_at, sum(found.bit) as bits
      from (${sql.join(looks, sql` union all `)}) as found join facts on facts.id = found.id
      group by facts.id`.execute(db);
    return rows.map(
      (row): FactHit => ({
        id: readInt(row.id),
        updatedAt: readInt(row.updated_at),
        bits: readInt(row.bits),
      }),
    );
  },
};

/** A scope is any text; as one word it can be looked for with the others. */
function scopeWord(scope: string): string {
  return createHash('sha256').update(scope).digest('hex').slice(0, 32);
}
