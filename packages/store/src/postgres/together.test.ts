import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, started } from '../conformance/happenings.ts';
import { claimRun, failsWith, onBench } from '../conformance/kit.ts';
import { openTestDatabase } from './test-database.ts';

test(
  'a step that cannot be written fails alone, whoever shares its batch',
  onBench(openTestDatabase, async ({ store }) => {
    for (const id of ['good', 'bad', 'late']) await store.createRun({ id, agent: 'writer' });
    const step = async (runId: string) => ({
      runId,
      fence: (await claimRun(store, runId)).fence,
      expectedSeq: 0,
      at: 1,
      happenings: [note('x')],
    });
    const [good, bad, late] = [await step('good'), await step('bad'), await step('late')];
    const results = await Promise.allSettled([
      store.append(good),
      store.append({ ...bad, timers: { 'no\0name': 5 } }),
      store.append({ ...late, expectedSeq: 7 }),
    ]);
    assert.deepEqual(results[0], { status: 'fulfilled', value: { seq: 1 } });
    assert.equal(results[1]?.status === 'rejected' && results[1].reason.code, 'invalid_options');
    assert.equal(results[2]?.status === 'rejected' && results[2].reason.code, 'seq_conflict');
    assert.equal((await store.events('bad')).length, 0);
  }),
);

test(
  'runs that are made together fail each for themselves',
  onBench(openTestDatabase, async ({ store }) => {
    await store.createRun({ id: 'taken', agent: 'writer' });
    const results = await Promise.allSettled(
      [
        { id: 'a', agent: 'writer', labels: { team: 'blue' }, inbox: [{ kind: 'x', payload: 1 }] },
        { id: 'taken', agent: 'writer' },
        { id: 'nul', agent: 'writer', tenant: 'no\0tenant' },
        { id: 'never', agent: 'writer', wakeAt: Number.NaN },
        { id: 'twice', agent: 'writer' },
        { id: 'twice', agent: 'writer' },
      ].map((run) => store.createRun(run)),
    );
    assert.deepEqual(
      results.map((result) =>
        result.status === 'rejected' ? result.reason.code : result.value.id,
      ),
      ['a', 'run_exists', 'invalid_options', 'invalid_options', 'twice', 'run_exists'],
    );
    assert.equal((await store.inbox('a')).length, 1);
    assert.deepEqual((await store.run('a'))?.labels, { team: 'blue' });
    assert.equal(await store.run('nul'), undefined);
  }),
);

test(
  'a look into an inbox that cannot be fails nobody who looks at the same time',
  onBench(openTestDatabase, async ({ store }) => {
    await store.createRun({ id: 'a', agent: 'writer', inbox: [{ kind: 'x', payload: 1 }] });
    const looks = [store.inbox('a'), store.inbox('a\0'), store.inbox('b')];
    const found = await Promise.allSettled(looks);
    assert.deepEqual(
      found.map((look) => (look.status === 'fulfilled' ? look.value.length : look.reason.code)),
      [1, 'invalid_options', 0],
    );
  }),
);

test(
  'leases that are given back together fail each for themselves',
  onBench(openTestDatabase, async ({ store }) => {
    for (const id of ['a', 'b', 'c']) await store.createRun({ id, agent: 'writer' });
    const leases = await Promise.all(['a', 'b', 'c'].map((id) => claimRun(store, id)));
    await store.send('c', { kind: 'input', payload: 1 });
    const [a, b, c] = leases.map(({ run, fence }) => ({ runId: run.id, fence }));
    assert.ok(a && b && c);
    const results = await Promise.allSettled([
      store.release({ ...a, wakeAt: Number.NaN }),
      store.release({ ...b, fence: b.fence + 1 }),
      store.release(c),
      store.release({ runId: 'nobody', fence: 1 }),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'rejected' ? result.reason.code : 'given back')),
      ['store_failed', 'lease_lost', 'given back', 'lease_lost'],
    );
    // What it had not read makes it due at once.
    assert.equal((await claimRun(store, 'c')).fence, c.fence + 1);
  }),
);

test(
  'keeps a NUL that a model wrote, in the log as it is',
  onBench(openTestDatabase, async ({ store }) => {
    await store.createRun({ id: 'r1', agent: 'writer' });
    const { fence } = await claimRun(store, 'r1');
    const explanation = 'It said \0 and ended.';
    await store.append({
      runId: 'r1',
      fence,
      expectedSeq: 0,
      at: 1,
      state: 'failed',
      happenings: [
        note('a\0b'),
        { type: 'run.finished', status: 'failed', reason: 'model_failed', explanation },
      ],
    });
    const [first, last] = await store.events('r1');
    assert.equal(first && 'text' in first && first.text, 'a\0b');
    assert.equal(last && 'explanation' in last && last.explanation, explanation);
    assert.equal((await store.run('r1'))?.explanation, 'It said \uFFFD and ended.');
  }),
);

test(
  'runs that speak to each other at the same time do not wait in a circle',
  onBench(openTestDatabase, async ({ store, connect }) => {
    const other = await connect();
    const pairs = [
      { store, from: 'a', to: 'b' },
      { store: other, from: 'b', to: 'a' },
    ];
    for (const { from } of pairs) await store.createRun({ id: from, agent: 'writer' });
    await Promise.all(
      pairs.map(async (pair) => {
        const { fence } = await claimRun(pair.store, pair.from);
        for (let seq = 0; seq < 40; seq += 1) {
          await pair.store.append({
            runId: pair.from,
            fence,
            expectedSeq: seq,
            at: 1,
            happenings: [note('x')],
            sends: [{ runId: pair.to, kind: 'hello', payload: seq }],
          });
        }
      }),
    );
    assert.equal((await store.inbox('a')).length, 40);
    assert.equal((await store.inbox('b')).length, 40);
  }),
);

test(
  'heartbeats and appends of the same runs do not get in each other’s way',
  onBench(openTestDatabase, async ({ store }) => {
    const ids = Array.from({ length: 30 }, (_, index) => `r${index}`);
    for (const id of ids) await store.createRun({ id, agent: 'writer' });
    const leases = await store.claim({ owner: 'w', ttl: 60_000, limit: 30 });
    const beats = leases.map(({ run, fence }) => ({ runId: run.id, fence })).reverse();
    let working = true;
    const beating = (async () => {
      while (working) assert.deepEqual(await store.heartbeat(beats, 60_000), []);
    })();
    await Promise.all(
      leases.map(async ({ run, fence }) => {
        for (let seq = 0; seq < 20; seq += 1) {
          await store.append({
            runId: run.id,
            fence,
            expectedSeq: seq,
            at: 1,
            happenings: [note('x')],
          });
        }
      }),
    );
    working = false;
    await beating;
  }),
);

test(
  'a message that comes while a lease is given back is never slept through',
  onBench(openTestDatabase, async ({ store, connect, clock }) => {
    const other = await connect();
    await store.createRun({ id: 'r1', agent: 'writer' });
    for (let round = 0; round < 30; round += 1) {
      const { fence } = await claimRun(store, 'r1');
      const unread = await store.inbox('r1');
      const { seq } = (await store.run('r1')) ?? assert.fail();
      await store.append({
        runId: 'r1',
        fence,
        expectedSeq: seq,
        at: clock.time,
        happenings: [note('read')],
        consumes: unread.map(({ id }) => id),
      });
      await Promise.all([
        store.release({ runId: 'r1', fence }),
        other.send('r1', { kind: 'input', payload: round }),
      ]);
      assert.ok((await store.run('r1'))?.wakeAt !== undefined, `round ${round}`);
    }
  }),
);

test(
  'the figures of a day are right when several stores count',
  onBench(openTestDatabase, async ({ store, connect, clock }) => {
    const stores = [store, await connect(), await connect(), await connect()];
    await Promise.all(
      stores.map(async (each, index) => {
        for (let run = 0; run < 5; run += 1) {
          const id = `r${index}-${run}`;
          await each.createRun({ id, agent: 'writer' });
          const { fence } = await claimRun(each, id);
          await each.append({
            runId: id,
            fence,
            expectedSeq: 0,
            at: clock.time,
            happenings: [started()],
          });
        }
      }),
    );
    const before = await store.stats();
    assert.equal(before.length, 1);
    assert.equal(before[0]?.runsStarted, 20);
    await store.rebuild();
    assert.deepEqual(await store.stats(), before);
  }),
);

test(
  'a closed store refuses what comes, and ends its feeds',
  onBench(openTestDatabase, async ({ connect }) => {
    const store = await connect();
    const feed = store.changes({ signal: new AbortController().signal })[Symbol.asyncIterator]();
    const next = feed.next();
    await store.close();
    assert.equal((await next).done, true);
    await failsWith('store_failed', store.run('r1'));
    await failsWith('store_failed', store.send('r1', { kind: 'x', payload: 1 }));
    await store.close();
  }),
);
