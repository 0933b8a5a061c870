import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { finished } from './happenings.ts';
import {
  claim,
  claimRun,
  failsWith,
  leasedRun,
  type OpenTestDatabase,
  onBench,
  ttl,
} from './kit.ts';

export function endingsConformance(open: OpenTestDatabase): void {
  describe('the end of a run', () => {
    const ending = {
      expectedSeq: 0,
      happenings: [finished('completed')],
      state: 'completed',
    } as const;

    it(
      'gives the lease back in the same commit',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, {
          id: 'r1',
          inbox: [{ kind: 'input', payload: 1 }],
        });
        const [message] = await store.inbox('r1');
        assert.ok(message);
        const consumes = [message.id];
        const step = { ...ending, runId: 'r1', fence, at: clock.time, consumes };
        assert.deepEqual(await store.append(step), { seq: 1 });
        const row = await store.run('r1');
        assert.equal(row?.leaseOwner, undefined);
        assert.equal(row?.leaseUntil, undefined);
        assert.equal(row?.wakeAt, undefined);
        assert.equal(await store.nextDue(clock.time), undefined);

        await failsWith('lease_lost', store.append({ ...step, expectedSeq: 1 }));
        assert.deepEqual(await store.heartbeat([{ runId: 'r1', fence }], ttl), ['r1']);
        await store.release({ runId: 'r1', fence });
        await failsWith('lease_lost', store.release({ runId: 'r1', fence: fence - 1 }));

        await store.send('r1', { kind: 'input', payload: 2, reopens: true });
        assert.equal((await claimRun(store, 'r1')).fence, fence + 1);
      }),
    );

    it(
      'is not written over something that was not read, and nothing of that step is',
      onBench(open, async ({ store, clock }) => {
        await store.createRun({ id: 'parent', agent: 'x', wakeAt: clock.time + ttl * 9 });
        for (const wakes of [true, false]) {
          const id = `wakes-${wakes}`;
          const { fence } = await leasedRun(store, { id });
          await store.send(id, { kind: 'input', payload: 1, wakes });
          const sends = [{ runId: 'parent', kind: 'result', payload: id }];
          const plain = { ...ending, runId: id, fence, at: clock.time };
          const before = await store.run(id);
          for (const step of [plain, { ...plain, sends }, { ...plain, happenings: [] }]) {
            await failsWith('unread_messages', store.append(step));
          }
          assert.deepEqual(await store.run(id), before);
          assert.deepEqual(await store.events(id), []);
          // Whoever goes on with it needs no end for that.
          await store.append({ ...plain, state: 'open' });
          const consumes = (await store.inbox(id)).map((message) => message.id);
          const last = { ...plain, expectedSeq: 1, consumes };
          assert.deepEqual(await store.append(last), { seq: 2 });
          assert.equal((await store.run(id))?.leaseOwner, undefined);
        }
        assert.deepEqual(await store.inbox('parent'), []);
        assert.deepEqual(await claim(store), []);
      }),
    );

    it(
      'is left to the next worker by one that dies with something unread',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        await store.send('r1', { kind: 'input', payload: 1 });
        const step = { ...ending, runId: 'r1', fence, at: clock.time };
        await failsWith('unread_messages', store.append(step));
        clock.advance(ttl);
        const next = await claimRun(store, 'r1');
        assert.equal((await store.inbox('r1')).length, 1);
        await failsWith('lease_lost', store.append(step));
        const consumes = (await store.inbox('r1')).map((message) => message.id);
        await store.append({ ...step, fence: next.fence, consumes });
        assert.equal((await store.run('r1'))?.state, 'completed');
      }),
    );

    it(
      'of others is written, though one of those that come with it cannot be',
      onBench(open, async ({ store, clock }) => {
        const ids = ['r1', 'r2', 'r3'];
        const steps = [];
        for (const runId of ids) {
          const { fence } = await leasedRun(store, { id: runId });
          steps.push({ ...ending, runId, fence, at: clock.time });
        }
        await store.send('r2', { kind: 'input', payload: 1 });
        const results = await Promise.allSettled(steps.map((step) => store.append(step)));
        assert.deepEqual(
          results.map(({ status }) => status),
          ['fulfilled', 'rejected', 'fulfilled'],
        );
        const rows = await Promise.all(ids.map((id) => store.run(id)));
        assert.deepEqual(
          rows.map((row) => [row?.state, row?.leaseOwner]),
          [
            ['completed', undefined],
            ['open', 'worker'],
            ['completed', undefined],
          ],
        );
      }),
    );

    it(
      'keeps the lease of a run that only rests',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const step = { ...ending, runId: 'r1', fence, at: clock.time, state: 'paused' } as const;
        assert.deepEqual(await store.append(step), { seq: 1 });
        assert.equal((await store.run('r1'))?.leaseOwner, 'worker');
        await store.release({ runId: 'r1', fence });
        await failsWith('lease_lost', store.release({ runId: 'r1', fence }));
      }),
    );
  });
}
