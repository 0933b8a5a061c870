import { setTimeout as sleep } from 'node:timers/promises';
import { createRedactor, type Redactor } from '@forge/core';
import { createSqlStore } from '../create-sql-store.ts';
import { redactedStore } from '../redacted-store.ts';
import { migrate } from '../schema/migrate.ts';
import { sqliteSchema } from '../schema/schema-make.ts';
import type { Store } from '../store.ts';
import { blockingWait, Database, prepareFile } from './database.ts';
import { kyselyFor } from './kysely-for.ts';
import { createSqliteEngine } from './sqlite-engine.ts';
import { isBusy, storeFailed } from './sqlite-errors.ts';

export interface SqliteStoreOptions {
  readonly file: string;
  /**
   * `full` (default): what is acknowledged survives a power cut. `normal`: it survives a crash of the
   * process, and a power cut may take the last moments.
   */
  readonly synchronous?: 'full' | 'normal';
  /** Milliseconds since 1970. Processes that share the file must agree on it. */
  readonly now?: () => number;
  /**
   * Takes secrets out of everything that is written. Default: one that knows the shapes of keys. Give
   * one made with `createRedactor({ values })` for your own keys; `false` writes all as it is.
   */
  readonly redact?: Redactor | false;
  /** How long a write waits for other processes, in milliseconds, before it fails. Default 15,000. */
  readonly patience?: number;
}

/**
 * Opens a store in one file, and makes it if it is not there. Any number of processes on one machine
 * may have it open.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  return (await openSqlite(options)).store;
}

/** The store with the connection it writes through, for tests that harm it. */
export async function openSqlite({
  file,
  synchronous = 'full',
  now = Date.now,
  patience = 15_000,
  redact = createRedactor(),
}: SqliteStoreOptions): Promise<{ readonly store: Store; readonly writer: Database }> {
  let writer: Database | undefined;
  try {
    const path = prepareFile(file);
    writer = new Database(path);
    await prepare(writer, { synchronous, patience });
    const reader = new Database(path, { readOnly: true });
    const engine = createSqliteEngine({ writer, reader, file, now, patience });
    const store = createSqlStore(engine, redact || undefined);
    return { store: redact ? redactedStore(store, redact) : store, writer };
  } catch (error) {
    writer?.close();
    throw storeFailed(error, file);
  }
}

/** Others may be opening the same new file: waiting is normal. */
async function prepare(
  writer: Database,
  { synchronous, patience }: { readonly synchronous: string; readonly patience: number },
): Promise<void> {
  for (let waited = 0; ; waited += blockingWait * 2) {
    try {
      writer.exec('pragma journal_mode = wal');
      writer.exec(`pragma synchronous = ${synchronous}; pragma journal_size_limit = 67108864`);
      // Pages that change again and again are copied into the file less often.
      writer.exec('pragma wal_autocheckpoint = 4000');
      writer.exec('begin immediate');
      await migrate(kyselyFor(writer), sqliteSchema);
      writer.exec('commit');
      return;
    } catch (error) {
      if (writer.inTransaction) writer.exec('rollback');
      if (!isBusy(error) || waited >= patience) throw error;
      await sleep(blockingWait);
    }
  }
}
