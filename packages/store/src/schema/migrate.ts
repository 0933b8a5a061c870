import { ForgeError } from '@forge/core';
import { type Kysely, sql } from 'kysely';
import { deploymentsTable } from './deployments-table.ts';
import { factsTable } from './facts-table.ts';
import { firstTables } from './first-tables.ts';
import { modelDays } from './model-days.ts';
import { outcomeIndexes } from './outcome-indexes.ts';
import type { SchemaMake } from './schema-make.ts';
import { listIndexes } from './second-list-indexes.ts';
import type { Tables } from './tables.ts';
import { topRuns } from './top-runs.ts';

/** Statements that lead from one version to the next: the first makes version 1. */
const migrations: readonly ((make: SchemaMake) => readonly string[])[] = [
  firstTables,
  listIndexes,
  (make) => [...modelDays(make), ...factsTable(make)],
  (make) => [...deploymentsTable(make), ...outcomeIndexes(make), ...topRuns(make)],
];

export const schemaVersion = migrations.length;

/**
 * Brings the tables to the version of this program. The caller has begun a transaction: all of it
 * or nothing. `store_newer` if a later program was here; `store_failed` if the tables are not ours.
 */
export async function migrate(db: Kysely<Tables>, make: SchemaMake): Promise<void> {
  await make.lock(db);
  const found = await make.tables(db);
  const from = found.includes('meta') ? await readVersion(db) : 0;
  refuseNewer(from);
  if (from === schemaVersion) return;
  if (from === 0) {
    const foreign = found.find((name) => name === 'runs' || name === 'events' || name === 'meta');
    if (foreign !== undefined) {
      throw new ForgeError(
        'store_failed',
        `The database has a table "${foreign}" that is not Forge's. Give the store a database of its own.`,
      );
    }
    await sql
      .raw(`create table meta (key text primary key not null, value text not null)${make.tableEnd}`)
      .execute(db);
  }
  for (const migration of migrations.slice(from)) {
    for (const statement of migration(make)) await sql.raw(statement).execute(db);
  }
  const version = { key: 'schema', value: String(schemaVersion) };
  await db
    .insertInto('meta')
    .values(version)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(version))
    .execute();
}

/**
 * A later program may change the tables while this one has them open. What this one writes then fails,
 * so it takes up no more runs: each would be struck for it.
 */
export function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw new ForgeError(
    'store_newer',
    `The store has schema version ${version}; this program knows up to ${schemaVersion}. Use the newer program, or another store.`,
  );
}

export const findVersion = `select value from meta where key = 'schema'`;

/** 0 if the table is not ours. */
async function readVersion(db: Kysely<Tables>): Promise<number> {
  try {
    const row = await db
      .selectFrom('meta')
      .select('value')
      .where('key', '=', 'schema')
      .executeTakeFirst();
    return Number(row?.value ?? 0);
  } catch {
    return 0; // A table of that name with other columns.
  }
}
