import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { beginRun, defineAgent, type Happening } from '@forge/core';
import { ScriptedModel } from '@forge/core/testing';
import type { Store } from '@forge/store';
import { openTestSqlite } from '@forge/store/testing';
import { RunWaiter } from './run-waiter.ts';
import type { RunView } from './runtime.ts';

async function ground() {
  const database = await openTestSqlite({ now: Date.now });
  const store = await database.connect();
  const other = await database.connect();
  after(async () => {
    await other.close();
    await store.close();
    await database.remove();
  });
  return { store, other };
}

async function lease(store: Store, id: string) {
  await store.createRun({ id, agent: 'a' });
  const [lease] = await store.claim({ owner: 'w', ttl: 60_000, limit: 1, runId: id });
  assert.ok(lease);
  let seq = 0;
  const write = async (happening: Happening) => {
    const step = { runId: id, fence: lease.fence, expectedSeq: seq, at: Date.now() };
    ({ seq } = await store.append({ ...step, happenings: [happening] }));
  };
  const model = new ScriptedModel([]);
  await write(await beginRun({ agent: defineAgent({ name: 'a' }), model, input: [] }));
  return (text: string) => write({ type: 'context.warned', level: 1, text });
}

/** Beside the first, which begins the run. */
const hasEvents = (count: number) => (view: RunView) => view.run.seq > count;

/** Counts who reads the feed, and looks at runs. */
function watched(store: Store) {
  const seen = { feeds: 0, looks: 0 };
  const waiter = new RunWaiter({
    ...store,
    run: (id) => {
      seen.looks += 1;
      return store.run(id);
    },
    async *changes(options) {
      seen.feeds += 1;
      try {
        yield* store.changes(options);
      } finally {
        seen.feeds -= 1;
      }
    },
  });
  return { waiter, seen };
}

describe('waiting for runs', () => {
  it('takes one reader of the feed for all who wait, and none afterwards', async () => {
    const { store, other } = await ground();
    const { waiter, seen } = watched(store);
    const write = await lease(other, 'r1');
    const ends = [1, 2, 2].map((count) => waiter.until('r1', hasEvents(count)));
    await write('a');
    assert.equal((await ends[0])?.run.seq, 2);
    assert.equal(seen.feeds, 1);
    await write('b');
    for (const { run, state } of await Promise.all(ends.slice(1))) {
      assert.deepEqual([run.seq, state.seq], [3, 3], 'row and state are of one moment');
    }
    while (seen.feeds > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('asks for nothing more than a look where it is so already, and begins again after a pause', async () => {
    const { store } = await ground();
    const { waiter, seen } = watched(store);
    const write = await lease(store, 'r1');
    await write('a');
    await waiter.until('r1', hasEvents(1));
    assert.deepEqual(seen, { feeds: 0, looks: 1 });
    for (const count of [2, 3]) {
      const there = waiter.until('r1', hasEvents(count));
      await write('more');
      await there;
      while (seen.feeds > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('does not look at a run when others change', async () => {
    const { store } = await ground();
    const { waiter, seen } = watched(store);
    const write = await lease(store, 'r1');
    const busy = await lease(store, 'r2');
    const there = waiter.until('r1', hasEvents(1));
    const far = waiter.until('r2', hasEvents(100));
    for (let count = 0; count < 100; count += 1) await busy('x');
    await far;
    const { looks } = seen;
    for (let count = 0; count < 20; count += 1) await busy('x');
    await write('a');
    await there;
    assert.ok(seen.looks - looks <= 3, `${seen.looks - looks} looks`);
  });

  it('is told of a run that is given up, though its log says nothing', async (t) => {
    const { store } = await ground();
    const { waiter, seen } = watched(store);
    await store.createRun({ id: 'r1', agent: 'a' });
    const [held] = await store.claim({ owner: 'w', ttl: 60_000, limit: 1 });
    assert.ok(held);
    t.mock.timers.enable({ apis: ['setTimeout'] }); // There is no net.
    const dead = waiter.until('r1', ({ run }) => run.state === 'dead');
    while (seen.looks < 2) await new Promise((resolve) => setImmediate(resolve));
    const why = { reason: 'r', explanation: 'e' };
    await store.strike({ runId: 'r1', fence: held.fence, delay: 0, dead: why });
    assert.equal((await dead).run.reason, 'r');
  });

  it('ends by its signal, and with what is wrong', async () => {
    const { store } = await ground();
    const { waiter, seen } = watched(store);
    await assert.rejects(waiter.until('nobody', hasEvents(1)), { code: 'not_found' });
    await lease(store, 'r1');
    const stop = new AbortController();
    const waiting = waiter.until('r1', hasEvents(1), { signal: stop.signal });
    stop.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    while (seen.feeds > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
