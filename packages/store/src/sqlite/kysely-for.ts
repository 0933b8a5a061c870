import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect, type SqliteStatement } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { checkText, type Database } from './database.ts';

/**
 * Kysely on a connection of `node:sqlite`. Every statement is done when its promise is made, so work
 * that awaits only these goes from its begin to its end in one turn of the event loop. Transactions
 * are the connection's owner's to begin and end.
 */
export function kyselyFor(database: Database): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        prepare: (sql) => adapt(database.prepare(sql)),
        close: () => database.close(),
      },
    }),
  });
}

const adapted = new WeakMap<StatementSync, SqliteStatement>();

function adapt(statement: StatementSync): SqliteStatement {
  let adapter = adapted.get(statement);
  if (adapter === undefined) {
    adapter = {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...values.map(toInput)),
      run: (values) => statement.run(...values.map(toInput)),
      iterate: (values) => statement.iterate(...values.map(toInput)),
    };
    adapted.set(statement, adapter);
  }
  return adapter;
}

function toInput(value: unknown): SQLInputValue {
  switch (typeof value) {
    case 'string':
      checkText(value);
      return value;
    case 'number':
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new TypeError(`SQLite cannot hold a value of type ${typeof value}.`);
  }
}
