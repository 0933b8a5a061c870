import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** The few places where the makes differ in how tables are made. */
export interface SchemaMake {
  readonly int: string;
  readonly bytes: string;
  /** A column that numbers rows by itself and never gives a number twice. */
  readonly serial: string;
  /** Columns of `events` that only this make needs. */
  readonly eventColumns: string;
  /** Statements that only this make needs, after all tables are there. */
  readonly extra: readonly string[];
  /** After the closing bracket of a table. */
  readonly tableEnd: string;
  /** Keeps others from migrating until the transaction ends. */
  lock(db: Kysely<Tables>): Promise<void>;
  /** The names of the tables that are there. */
  tables(db: Kysely<Tables>): Promise<readonly string[]>;
}

/** The caller begins the transaction with `begin immediate`: that is the lock. */
export const sqliteSchema: SchemaMake = {
  int: 'integer',
  bytes: 'blob',
  serial: 'integer primary key autoincrement',
  eventColumns: '',
  extra: [],
  tableEnd: ' strict',
  lock: async () => {},
  async tables(db) {
    const found = await sql<{
      name: string;
    }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`.execute(db);
    return found.rows.map((row) => row.name);
  },
};

/** Any number that nobody else is likely to lock. */
const migrationLock = 7_146_301;

export const postgresSchema: SchemaMake = {
  int: 'bigint',
  bytes: 'bytea',
  serial: 'bigint generated always as identity primary key',
  // Identities are given before a commit and become visible in another order. The transaction's own
  // number tells a reader which rows no older transaction can still slip in front of.
  eventColumns: ', tx xid8 not null default pg_current_xact_id()',
  extra: ['create index events_by_tx on events (tx, position)'],
  tableEnd: '',
  async lock(db) {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(db);
  },
  async tables(db) {
    const found = await sql<{
      name: string;
    }>`select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
      db,
    );
    return found.rows.map((row) => row.name);
  },
};
