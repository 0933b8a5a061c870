import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { finished } from '../conformance/happenings.ts';
import { failsWith, leasedRun } from '../conformance/kit.ts';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { openPostgresStore } from './open-postgres-store.ts';

test('a message that comes between the look and the lock of the last step holds it up', async () => {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const store = await openPostgresStore({ url });
  const sender = new pg.Client({ connectionString: url });
  const watcher = new pg.Client({ connectionString: url });
  await Promise.all([sender.connect(), watcher.connect()]);
  try {
    const { fence } = await leasedRun(store, { id: 'r1' });
    // As `send` does it, in the middle of its transaction.
    await sender.query('begin');
    await sender.query(`insert into inbox (run_id, kind, payload, wakes, at)
      values ('r1', 'input', '1', 1, 1)`);
    await sender.query(`update runs set wake_at = least(wake_at, 1) where id = 'r1'`);
    const step = { runId: 'r1', fence, expectedSeq: 0, happenings: [finished('completed')], at: 1 };
    const last = { ...step, state: 'completed' } as const;
    const refused = failsWith('unread_messages', store.append(last));
    for (;;) {
      const waiting = await watcher.query('select 1 from pg_locks where not granted');
      if (waiting.rows.length > 0) break;
    }
    await sender.query('commit');
    await refused;
    const consumes = (await store.inbox('r1')).map(({ id }) => id);
    assert.equal(consumes.length, 1);
    assert.deepEqual(await store.append({ ...last, consumes }), { seq: 1 });
  } finally {
    await Promise.all([sender.end(), watcher.end()]);
    await store.close();
    await postgres.dropDatabase(url);
  }
});

test('every message changes the row of its run, also one that wakes nobody', async () => {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const store = await openPostgresStore({ url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { fence } = await leasedRun(store, { id: 'other' });
    await leasedRun(store, { id: 'r1' });
    const message = { kind: 'note', payload: 1, wakes: false };
    const step = { runId: 'other', fence, expectedSeq: 0, happenings: [], at: 1 };
    const seen = new Set<string>();
    const look = async () => {
      const { rows } = await client.query(`select xmin::text from runs where id = 'r1'`);
      seen.add(String(rows[0]?.xmin));
    };
    await look();
    await store.send('r1', message);
    await look();
    await store.append({ ...step, sends: [{ ...message, runId: 'r1' }] });
    await look();
    assert.equal(seen.size, 3);
  } finally {
    await client.end();
    await store.close();
    await postgres.dropDatabase(url);
  }
});
