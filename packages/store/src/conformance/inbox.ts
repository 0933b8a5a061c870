import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  claim,
  claimedIds,
  claimRun,
  failsWith,
  leasedRun,
  type OpenTestDatabase,
  onBench,
} from './kit.ts';

export function inboxConformance(open: OpenTestDatabase): void {
  describe('inbox', () => {
    it(
      'takes what comes from one source once',
      onBench(open, async ({ store, connect }) => {
        await store.createRun({ id: 'r1', agent: 'x' });
        await store.createRun({ id: 'r2', agent: 'x' });
        const other = await connect();
        const heard = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? store : other).send('r1', {
              kind: 'input',
              payload: index,
              source: 'chat:1',
            }),
          ),
        );
        assert.equal(heard.filter(Boolean).length, 1);
        assert.equal((await store.inbox('r1')).length, 1);
        assert.equal(await store.send('r2', { kind: 'input', payload: 0, source: 'chat:1' }), true);
        assert.equal(await store.send('r1', { kind: 'input', payload: 0 }), true);
        assert.equal(await store.send('r1', { kind: 'input', payload: 0 }), true);
        assert.equal((await store.inbox('r1')).length, 3);
        await failsWith('not_found', store.send('nobody', { kind: 'input', payload: 0 }));
      }),
    );

    it(
      'does not take a source again after it was read',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, {
          id: 'r1',
          inbox: [{ kind: 'input', payload: 1, source: 's' }],
        });
        const consumes = (await store.inbox('r1')).map(({ id }) => id);
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          consumes,
        });
        await store.release({ runId: 'r1', fence });
        assert.equal(await store.send('r1', { kind: 'input', payload: 1, source: 's' }), false);
        assert.deepEqual(await claim(store), []);
      }),
    );

    it(
      'gives messages in the order of arrival, as they were',
      onBench(open, async ({ store, clock }) => {
        await store.createRun({ id: 'r1', agent: 'x' });
        const payloads = [null, 'text', { nested: [1, { a: 'ü' }] }, 0, false, []];
        for (const payload of payloads)
          await store.send('r1', { kind: 'k', payload, source: JSON.stringify(payload) });
        const inbox = await store.inbox('r1');
        assert.deepEqual(
          inbox.map(({ payload }) => payload),
          payloads,
        );
        const [first] = inbox;
        assert.deepEqual(first, {
          id: first?.id,
          runId: 'r1',
          kind: 'k',
          payload: null,
          source: 'null',
          at: clock.time,
        });
      }),
    );

    it(
      'wakes a run that waits, and only by what wakes',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        await store.release({ runId: 'r1', fence, wakeAt: clock.time + 1_000 });
        await store.send('r1', { kind: 'note', payload: 1, wakes: false });
        assert.deepEqual(await claim(store), []);
        await store.send('r1', { kind: 'input', payload: 2 });
        const lease = await claimRun(store, 'r1');
        assert.equal((await store.inbox('r1')).length, 2);
        await store.append({
          runId: 'r1',
          fence: lease.fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          consumes: (await store.inbox('r1')).map(({ id }) => id),
        });
        await store.release({ runId: 'r1', fence: lease.fence });
        assert.equal((await store.run('r1'))?.wakeAt, undefined);
      }),
    );

    it(
      'makes a run due at once if something came while it was worked on',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        await store.send('r1', { kind: 'note', payload: 1, wakes: false });
        await store.send('r1', { kind: 'input', payload: 2 });
        assert.deepEqual(await claim(store), [], 'it is leased');
        await store.release({ runId: 'r1', fence, wakeAt: clock.time + 10_000 });
        const again = await claimRun(store, 'r1');
        const inbox = await store.inbox('r1');
        const consumes = inbox.filter(({ kind }) => kind === 'input').map(({ id }) => id);
        await store.append({
          runId: 'r1',
          fence: again.fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          consumes,
        });
        await store.release({ runId: 'r1', fence: again.fence });
        assert.deepEqual(await claim(store), [], 'what is left wakes nobody');
      }),
    );

    it(
      'keeps what is sent to a run that ended, and does not wake it',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          state: 'cancelled',
        });
        await store.release({ runId: 'r1', fence });
        assert.equal(await store.send('r1', { kind: 'input', payload: 1, reopens: true }), true);
        assert.deepEqual(await claim(store), []);
        assert.equal((await store.inbox('r1')).length, 1);
        assert.equal((await store.run('r1'))?.state, 'cancelled');
      }),
    );

    it(
      'waits with the first messages of a run until it may begin',
      onBench(open, async ({ store, clock }) => {
        await store.createRun({
          id: 'r1',
          agent: 'x',
          wakeAt: clock.time + 50,
          inbox: [{ kind: 'input', payload: 1 }],
        });
        assert.deepEqual(await claim(store), []);
        clock.advance(50);
        assert.deepEqual(claimedIds(await claim(store)), ['r1']);
      }),
    );

    it(
      'tells listeners at once, in this process and in others',
      onBench(open, async ({ store, connect }) => {
        const other = await connect();
        const here = new Set<string>();
        await store.createRun({ id: 'r1', agent: 'x' });
        const there = new Promise<void>((resolve) => {
          const stop = other.onWake((runIds) => {
            if (runIds === undefined || runIds.includes('r2')) {
              stop();
              resolve();
            }
          });
        });
        const stop = store.onWake((runIds) => {
          for (const id of runIds ?? []) here.add(id);
        });
        await store.createRun({ id: 'r2', agent: 'x' });
        assert.ok(here.has('r2'));
        await store.send('r1', { kind: 'input', payload: 1 });
        assert.ok(here.has('r1'));
        stop();
        here.clear();
        await store.send('r1', { kind: 'input', payload: 1 });
        assert.equal(here.size, 0);
        await there;
      }),
    );

    it(
      'tells the process whose worker holds the run about a message from another',
      onBench(open, async ({ store, connect }) => {
        const worker = await connect();
        await leasedRun(worker, { id: 'r1' });
        const told = new Promise<void>((resolve) => {
          const stop = worker.onWake((runIds) => {
            if (runIds === undefined || runIds.includes('r1')) {
              stop();
              resolve();
            }
          });
        });
        await store.send('r1', { kind: 'input', payload: 1 });
        await told;
      }),
    );
  });
}
