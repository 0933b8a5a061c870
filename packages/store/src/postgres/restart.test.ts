import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note } from '../conformance/happenings.ts';
import { ttl } from '../conformance/kit.ts';
import type { Store } from '../store.ts';
import { startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { openPostgresStore } from './open-postgres-store.ts';

async function onServer(
  run: (setting: { postgres: TestPostgres; store: Store; url: string }) => Promise<void>,
): Promise<void> {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  const store = await openPostgresStore({ url });
  try {
    await run({ postgres, store, url });
  } finally {
    await store.close();
    await postgres.stop();
  }
}

for (const mode of ['immediate', 'fast'] as const) {
  test(`200 appends at once outlive a restart of the server (${mode}), each written once`, () =>
    onServer(async ({ postgres, store }) => {
      const runs = 200;
      const steps = 4;
      const ids = Array.from({ length: runs }, (_, index) => `run-${index}`);
      await Promise.all(ids.map((id) => store.createRun({ id, agent: 'writer' })));
      const leases = await store.claim({ owner: 'w', ttl: ttl * 1_000, limit: runs });
      assert.equal(leases.length, runs);

      let acknowledged = 0;
      const { promise: under, resolve: isUnderWay } = Promise.withResolvers<void>();
      const work = leases.map(async ({ run, fence }) => {
        for (let seq = 0; seq < steps; seq += 1) {
          const happenings = [note(`${run.id} ${seq}`)];
          const written = await store.append({
            runId: run.id,
            fence,
            expectedSeq: seq,
            at: 1,
            happenings,
          });
          assert.equal(written.seq, seq + 1);
          acknowledged += 1;
          if (acknowledged === runs) isUnderWay();
        }
      });
      await under;
      await postgres.restart(mode);
      await Promise.all(work);

      for (const id of ids) {
        const events = await store.events(id);
        assert.deepEqual(
          events.map((event) => ('text' in event ? event.text : event)),
          Array.from({ length: steps }, (_, seq) => `${id} ${seq}`),
        );
      }
    }));
}

test('readers of the feed and waiters go on after a restart', () =>
  onServer(async ({ postgres, store, url }) => {
    const other = await openPostgresStore({ url });
    try {
      await store.createRun({ id: 'r1', agent: 'writer' });
      const [lease] = await store.claim({ owner: 'w', ttl: ttl * 1_000, limit: 1 });
      assert.ok(lease);
      const append = (seq: number) =>
        store.append({
          runId: 'r1',
          fence: lease.fence,
          expectedSeq: seq,
          at: 1,
          happenings: [note(`${seq}`)],
        });
      const stop = new AbortController();
      const feed = other.changes({ signal: stop.signal })[Symbol.asyncIterator]();
      await append(0);
      assert.equal((await feed.next()).value?.event.seq, 1);
      const next = feed.next();
      await postgres.restart();
      await append(1);
      assert.equal((await next).value?.event.seq, 2);
      stop.abort();
    } finally {
      await other.close();
    }
  }));

test('opens once a server that starts late is there', async () => {
  const postgres = await startPostgres({ durable: false });
  await postgres.down('fast');
  const opening = openPostgresStore({ url: postgres.url });
  await postgres.up();
  const store = await opening;
  assert.deepEqual((await store.runs()).items, []);
  await store.close();
  await postgres.stop();
});
