import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { failsWith } from '../conformance/kit.ts';
import { openSqlite, openSqliteStore } from './open-sqlite-store.ts';

describe('openSqliteStore', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'forge-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes the folder and a file that only its owner can read', async () => {
    const file = join(folder, 'a', 'b', 'store.db');
    const store = await openSqliteStore({ file });
    await store.createRun({ id: 'r1', agent: 'x' });
    for (const path of [file, `${file}-wal`, `${file}-shm`]) {
      assert.equal(statSync(path).mode & 0o777, 0o600, path);
    }
    assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700);
    await store.close();
  });

  it('flushes every commit unless told otherwise', async () => {
    const level = async (options: { synchronous?: 'normal' }) => {
      const { store, writer } = await openSqlite({ file: join(folder, 'store.db'), ...options });
      const row = writer.get<{ synchronous: number }>('pragma synchronous');
      await store.close();
      return row?.synchronous;
    };
    assert.equal(await level({}), 2);
    assert.equal(await level({ synchronous: 'normal' }), 1);
  });

  it('says so when the file is no database', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'These are notes, and quite a few of them. '.repeat(100));
    assert.match(
      await failsWith('store_failed', openSqliteStore({ file })),
      /not a SQLite database/,
    );
  });

  it('says so when the path is a folder', async () => {
    const file = join(folder, 'folder');
    mkdirSync(file);
    await failsWith('store_failed', openSqliteStore({ file }));
  });

  it('leaves the database of another program alone', async () => {
    const file = join(folder, 'other.db');
    const other = new DatabaseSync(file);
    other.exec('create table events (what text)');
    other.close();
    assert.match(await failsWith('store_failed', openSqliteStore({ file })), /database of its own/);
    const again = new DatabaseSync(file);
    assert.equal(again.prepare(`select count(*) as n from sqlite_master`).get()?.n, 1);
    again.close();
  });
});
