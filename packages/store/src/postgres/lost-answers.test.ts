import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note } from '../conformance/happenings.ts';
import { claimRun, failsWith, ttl } from '../conformance/kit.ts';
import type { Store } from '../store.ts';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { startRelay, type TestRelay } from './test-relay.ts';

interface Setting {
  /** By way of the relay. */
  readonly store: Store;
  readonly relay: TestRelay;
  readonly url: string;
}

function onRelay(run: (setting: Setting) => Promise<void>): () => Promise<void> {
  return async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    const relay = await startRelay(url);
    const store = await openPostgresStore({ url: relay.url });
    try {
      await run({ store, relay, url });
    } finally {
      await store.close();
      await relay.close();
      await postgres.dropDatabase(url);
    }
  };
}

async function leased(store: Store, id: string) {
  await store.createRun({ id, agent: 'writer' });
  const { fence } = await claimRun(store, id);
  return (expectedSeq: number, ...texts: string[]) =>
    store.append({ runId: id, fence, expectedSeq, at: 1, happenings: texts.map(note) });
}

for (const mishap of ['cut-before', 'cut-after'] as const) {
  test(
    `an append is written once (${mishap})`,
    onRelay(async ({ store, relay }) => {
      const append = await leased(store, 'r1');
      const broken = relay.next('forge_append', mishap);
      assert.deepEqual(await append(0, 'a', 'b'), { seq: 2 });
      await broken;
      assert.deepEqual(await append(2, 'c'), { seq: 3 });
      assert.equal((await store.events('r1')).length, 3);
    }),
  );

  test(
    `of a batch each step is answered for itself (${mishap})`,
    onRelay(async ({ store, relay }) => {
      const first = await leased(store, 'r1');
      const second = await leased(store, 'r2');
      await second(0, 'x');
      const broken = relay.next('forge_append', mishap);
      const steps = [first(0, 'a'), second(0, 'too late')];
      await broken;
      assert.deepEqual(await steps[0], { seq: 1 });
      await failsWith('seq_conflict', steps[1] ?? Promise.resolve());
      assert.equal((await store.events('r2')).length, 1);
    }),
  );

  test(
    `a message without a source is sent once (${mishap})`,
    onRelay(async ({ store, relay }) => {
      await store.createRun({ id: 'r1', agent: 'writer' });
      const broken = relay.next('commit\0', mishap);
      assert.equal(await store.send('r1', { kind: 'input', payload: 'hello' }), true);
      await broken;
      assert.equal((await store.inbox('r1')).length, 1);
    }),
  );

  test(
    `a run is made once, and a strike counts once (${mishap})`,
    onRelay(async ({ store, relay }) => {
      const made = relay.next('commit\0', mishap);
      assert.equal((await store.createRun({ id: 'r1', agent: 'writer' })).id, 'r1');
      await made;
      const claimed = relay.next('commit\0', mishap);
      const { fence } = await claimRun(store, 'r1');
      await claimed;
      assert.equal(fence, 1);
      const struck = relay.next('commit\0', mishap);
      await store.strike({ runId: 'r1', fence, delay: 0 });
      await struck;
      assert.equal((await store.run('r1'))?.strikes, 1);
    }),
  );
}

test(
  'a statement that reaches the server after it was given up does nothing',
  onRelay(async ({ store, relay }) => {
    const append = await leased(store, 'r1');
    const other = await leased(store, 'r2');
    const held = relay.next('forge_append', 'hold');
    const written = append(0, 'once');
    const { letGo } = await held;
    assert.deepEqual(await written, { seq: 1 });
    letGo();
    await other(0, 'later');
    assert.equal((await store.events('r1')).length, 1);
    assert.equal((await store.run('r1'))?.seq, 1);
  }),
);

test(
  'a commit that comes while its fate is asked for is waited for, and counts',
  onRelay(async ({ store, relay }) => {
    await store.createRun({ id: 'r1', agent: 'writer' });
    const held = relay.next('commit\0', 'hold');
    const sent = store.send('r1', { kind: 'input', payload: 'hello' });
    const { letGo } = await held;
    await relay.seen('insert into receipts');
    letGo();
    assert.equal(await sent, true);
    assert.equal((await store.inbox('r1')).length, 1);
  }),
);

test(
  'a server that stays away is told of after the patience, and the store works when it is back',
  onRelay(async ({ relay, url }) => {
    const store = await openPostgresStore({ url: relay.url, patience: 2_000 });
    const postgres = await openPostgresStore({ url });
    await postgres.createRun({ id: 'r1', agent: 'writer' });
    const { fence } = await postgres
      .claim({ owner: 'w', ttl, limit: 1 })
      .then(([lease]) => lease ?? assert.fail());
    await postgres.close();
    const cut = cutting(relay);
    const step = { runId: 'r1', fence, expectedSeq: 0, at: 1, happenings: [note('a')] };
    const message = await failsWith('store_failed', store.append(step));
    assert.match(message, /Look at the server/);
    cut.stop();
    assert.deepEqual(await store.append(step), { seq: 1 });
    await store.close();
  }),
);

/** Cuts every append until it is stopped. */
function cutting(relay: TestRelay): { stop(): void } {
  let going = true;
  const again = async () => {
    while (going) await relay.next('forge_append', 'cut-before');
  };
  void again();
  return {
    stop() {
      going = false;
      relay.forget();
    },
  };
}
