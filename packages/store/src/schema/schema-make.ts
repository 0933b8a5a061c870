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
  /** Statements that make the labels of a run follow its state. */
  readonly labelStates: readonly string[];
  /** Statements that give the tables of daily figures a model as part of their key, and replies. */
  readonly daysByModel: readonly string[];
  /** The UTC day of `events.at`, as 2026-11-15. */
  readonly dayOfEvent: string;
  /**
   * The kind of an outcome from `events.data`, for an index; empty if that does not say. A damaged row
   * is no error.
   */
  readonly outcomeKind: string;
  /** What full-text search over `facts` needs. */
  readonly factSearch: readonly string[];
  /** How a column that is computed is kept; one that is added later, too. */
  readonly generatedEnd: string;
  /** After the closing bracket of a table. */
  readonly tableEnd: string;
  /** Keeps others from migrating until the transaction ends. */
  lock(db: Kysely<Tables>): Promise<void>;
  /** The names of the tables that are there. */
  tables(db: Kysely<Tables>): Promise<readonly string[]>;
}

const dailyCounts = [
  'runs_started',
  'runs_completed',
  'runs_failed',
  'runs_cancelled',
  'turns',
  'tool_calls',
  'tool_errors',
  'refusals',
  'input_tokens',
  'output_tokens',
  'cost_nano',
];

/** SQLite cannot change a key: the table is made anew. */
function remadeDays(table: string): readonly string[] {
  const counts = [...dailyCounts, 'replies'].map((name) => `${name} integer not null default 0`);
  const kept = ['day', 'agent', ...dailyCounts].join(', ');
  return [
    `alter table ${table} rename to old_days`,
    `create table ${table} (
      day text not null,
      agent text not null,
      model text not null default '',
      ${counts.join(', ')},
      primary key (day, agent, model)
    ) strict`,
    `insert into ${table} (${kept}) select ${kept} from old_days`,
    'drop table old_days',
  ];
}

/** The caller begins the transaction with `begin immediate`: that is the lock. */
export const sqliteSchema: SchemaMake = {
  int: 'integer',
  bytes: 'blob',
  serial: 'integer primary key autoincrement',
  eventColumns: '',
  extra: [],
  generatedEnd: 'virtual',
  labelStates: [
    `create trigger runs_label_states after update of state on runs
      when old.state <> new.state and new.labels <> '{}'
      begin update run_labels set state = new.state where run_id = new.id; end`,
  ],
  daysByModel: ['daily_stats', 'daily_base'].flatMap(remadeDays),
  outcomeKind: `coalesce(case when json_valid(data) then json_extract(data, '$.kind') end, '')`,
  dayOfEvent: `date(events.at / 1000, 'unixepoch')`,
  // Words are found and folded by us, so that both makes find the same: here they only are parted.
  factSearch: [
    `create virtual table fact_words using
      fts5(scope, key, value, content='', contentless_delete=1, tokenize='ascii')`,
  ],
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
  generatedEnd: 'stored',
  labelStates: [
    `create function forge_label_states() returns trigger language plpgsql as $$
      begin update run_labels set state = new.state where run_id = new.id; return null; end $$`,
    `create trigger runs_label_states after update of state on runs for each row
      when (old.state <> new.state and new.labels <> '{}') execute function forge_label_states()`,
  ],
  daysByModel: ['daily_stats', 'daily_base'].map(
    (table) => `alter table ${table}
      add column model text not null default '',
      add column replies bigint not null default 0,
      drop constraint ${table}_pkey,
      add primary key (day, agent, model)`,
  ),
  // As `JSON.stringify` writes it. A quote within a text is escaped there: no text looks so.
  outcomeKind: `coalesce(substring(data from '"kind":"([a-z]+)"'), '')`,
  dayOfEvent: `to_char(to_timestamp(events.at / 1000) at time zone 'UTC', 'YYYY-MM-DD')`,
  factSearch: [
    `alter table facts add column words tsvector not null default ''`,
    'create index facts_words on facts using gin (words)',
  ],
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
