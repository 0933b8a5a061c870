import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { finished, note } from '../conformance/happenings.ts';
import { claimRun } from '../conformance/kit.ts';
import { isBroken } from '../sql/read-events.ts';
import type { Store } from '../store.ts';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { startRelay, type TestRelay } from './test-relay.ts';

const long = note('long '.repeat(20_000));

interface Setting {
  readonly store: Store;
  /** Another one, by way of the relay. */
  readonly other: Store;
  readonly relay: TestRelay;
  readonly url: string;
}

/** On a database with a run that ended and has a payload of its own. */
function afterEnd(run: (setting: Setting) => Promise<void>): () => Promise<void> {
  return async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    const relay = await startRelay(url);
    const store = await openPostgresStore({ url });
    const other = await openPostgresStore({ url: relay.url });
    try {
      await store.createRun({ id: 'old', agent: 'writer' });
      const { fence } = await claimRun(store, 'old');
      const step = { runId: 'old', fence, expectedSeq: 0, at: 1, happenings: [long, finished()] };
      await store.append({ ...step, state: 'completed' });
      await store.release({ runId: 'old', fence });
      await run({ store, other, relay, url });
    } finally {
      await store.close();
      await other.close();
      await relay.close();
      await postgres.dropDatabase(url);
    }
  };
}

/** Until somebody waits for a lock, or this is done. */
async function waitsOrEnds(url: string, work: Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let ended = false;
  const end = () => {
    ended = true;
  };
  void work.then(end, end);
  while (!ended) {
    const { rows } = await client.query('select 1 from pg_locks where not granted');
    if (rows.length > 0) break;
  }
  await client.end();
}

async function assertReadable(store: Store, runId: string): Promise<void> {
  const events = await store.events(runId);
  assert.ok(events.length > 0 && events.every((event) => !isBroken(event)));
}

test(
  'keeps a payload that another run begins to use while its own run is pruned',
  afterEnd(async ({ store, other, relay, url }) => {
    const hand = new pg.Client({ connectionString: url });
    await hand.connect();
    await store.createRun({ id: 'new', agent: 'writer' });
    const { fence } = await claimRun(store, 'new');
    // An append that is under way when the prune comes: it waits for its run's row behind us.
    await hand.query('begin');
    await hand.query(`update blobs set kept = kept`);
    await hand.query(
      `insert into events (run_id, seq, v, type, at, blob) select 'new', 1, 1, type, at, blob from events where run_id = 'old' and seq = 1`,
    );
    await hand.query(`update runs set seq = 1 where id = 'new'`);
    const asked = relay.seen('from blobs');
    const pruned = other.prune({ endedBefore: 2 });
    await asked;
    await hand.query('commit');
    assert.equal(await pruned, 1);
    await assertReadable(store, 'new');
    // And one that comes after it brings the payload anew.
    await store.append({ runId: 'new', fence, expectedSeq: 1, at: 1, happenings: [long] });
    await assertReadable(store, 'new');
    await hand.end();
  }),
);

test(
  'keeps the payloads of a run that is copied while it is pruned',
  afterEnd(async ({ store, other, relay, url }) => {
    const delayed = relay.next('insert into "events"', 'delay');
    const forked = other.fork({ runId: 'old', upTo: 2, id: 'copy' });
    const { letGo } = await delayed;
    const pruned = store.prune({ endedBefore: 2 });
    await waitsOrEnds(url, pruned);
    letGo();
    await forked;
    assert.equal(await pruned, 1);
    await assertReadable(store, 'copy');
  }),
);
