import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { OpenTestDatabase } from '../conformance/kit.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

/** A real file in a folder of its own. */
export const openTestSqlite: OpenTestDatabase = async ({ now }) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-store-'));
  const file = join(folder, 'store.db');
  return {
    // Nothing here pulls the plug: tests need not wait for the disk.
    connect: (options) => openSqliteStore({ file, now, synchronous: 'normal', ...options }),
    async execute(sql) {
      const database = new DatabaseSync(file, { timeout: 5_000 });
      database.exec(sql);
      database.close();
    },
    async remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
