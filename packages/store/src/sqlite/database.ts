import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** How long SQLite itself waits for another process, blocking this one. Longer waits are ours. */
export const blockingWait = 20;

/** Statements are few; this bounds what lists with many kinds of filters leave behind. */
const mostStatements = 500;

/** One connection, with its statements prepared once. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    this.#database = new DatabaseSync(file, {
      readOnly,
      timeout: blockingWait,
      enableForeignKeyConstraints: true,
    });
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      if (this.#statements.size >= mostStatements) this.#statements.clear();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** How many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    checkTexts(values);
    return Number(this.prepare(sql).run(...values).changes);
  }

  /** As `run`, with values by name. */
  runNamed(sql: string, values: Record<string, SQLInputValue>): number {
    checkTexts(Object.values(values));
    return Number(this.prepare(sql).run(values).changes);
  }

  /**
   * The first row. Whoever writes the statement says what its columns are; the tables are strict, so
   * that they hold what they are said to.
   */
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    checkTexts(values);
    return this.prepare(sql).get(...values) as Row | undefined;
  }

  getNamed<Row>(sql: string, values: Record<string, SQLInputValue>): Row | undefined {
    checkTexts(Object.values(values));
    return this.prepare(sql).get(values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    checkTexts(values);
    return this.prepare(sql).all(...values) as Row[];
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }
}

/**
 * A text that the other make could not hold. No `ForgeError`: it may come when work has written
 * something already, which has to be undone.
 */
export class TextWithNul extends Error {}

export function checkText(text: string): void {
  if (text.includes('\0')) throw new TextWithNul('A text has a NUL character in it.');
}

function checkTexts(values: readonly SQLInputValue[]): void {
  for (const value of values) if (typeof value === 'string') checkText(value);
}

/** Makes the file so that only its owner can read it. SQLite gives its side files the same rights. */
export function prepareFile(file: string): string {
  const path = resolve(file);
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return path;
}
