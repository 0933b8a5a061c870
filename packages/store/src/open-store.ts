import { ForgeError } from '@forge/core';
import type { PostgresStoreOptions } from './postgres/open-postgres-store.ts';
import type { SqliteStoreOptions } from './sqlite/open-sqlite-store.ts';
import type { Store } from './store.ts';

/**
 * Opens the store an address names: `postgres://…`, `sqlite:path`, or a path. Only the make that is
 * asked for is loaded, when it is asked for: a command that needs no store starts without one.
 *
 * @example
 * const store = await openStore('sqlite:forge.db');
 */
export async function openStore(
  url: string,
  options: Pick<SqliteStoreOptions & PostgresStoreOptions, 'now' | 'redact'> = {},
): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresStore({ url, ...options });
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(url)?.[1];
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length).replace(/^\/\//, '') : url;
  if (file === '' || (scheme !== undefined && scheme !== 'sqlite')) {
    throw new ForgeError(
      'invalid_options',
      `"${url}" names no store. Use a path, sqlite:path or postgres://user@host/database.`,
    );
  }
  return openSqliteStore({ file, ...options });
}

/** A store in one file. Any number of processes on one machine may have it open. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const make = await import('./sqlite/open-sqlite-store.ts');
  return make.openSqliteStore(options);
}

/** A store on a server, for workers on several machines. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const make = await import('./postgres/open-postgres-store.ts');
  return make.openPostgresStore(options);
}
