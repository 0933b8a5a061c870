import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { note, resumed } from './happenings.ts';
import { claim, claimRun, leasedRun, type OpenTestDatabase, onBench, ttl } from './kit.ts';

export function strikesConformance(open: OpenTestDatabase): void {
  describe('strikes', () => {
    it(
      'counts strikes until something is written',
      onBench(open, async ({ store, clock }) => {
        await store.createRun({ id: 'r1', agent: 'x' });
        for (let expected = 0; expected < 3; expected += 1) {
          const lease = await claimRun(store, 'r1');
          assert.equal(lease.run.strikes, expected);
          // To say that it goes on is no progress: a run that kills its workers does that each time.
          await store.append({
            runId: 'r1',
            fence: lease.fence,
            expectedSeq: expected,
            happenings: [resumed()],
            at: clock.time,
          });
          clock.advance(ttl);
        }
        const fourth = await claimRun(store, 'r1');
        assert.equal(fourth.run.strikes, 3);
        await store.append({
          runId: 'r1',
          fence: fourth.fence,
          expectedSeq: 3,
          happenings: [note('ok')],
          at: clock.time,
        });
        assert.equal((await store.run('r1'))?.strikes, 0);
        clock.advance(ttl);
        assert.equal((await claimRun(store, 'r1')).run.strikes, 0);
      }),
    );

    it(
      'strikes a run and lets it rest, or gives it up',
      onBench(open, async ({ store, clock }) => {
        const first = await leasedRun(store, { id: 'r1' });
        await store.strike({ runId: 'r1', fence: first.fence, delay: 500 });
        assert.deepEqual(await claim(store), []);
        clock.advance(500);
        const second = await claimRun(store, 'r1');
        assert.equal(second.run.strikes, 1);
        await store.strike({
          runId: 'r1',
          fence: second.fence,
          delay: 0,
          dead: { reason: 'poison', explanation: 'It killed three workers.' },
        });
        const row = await store.run('r1');
        assert.equal(row?.state, 'dead');
        assert.equal(row?.reason, 'poison');
        assert.equal(row?.explanation, 'It killed three workers.');
        assert.equal(row?.strikes, 2);
        assert.equal(row?.finishedAt, clock.time);
        assert.equal(row?.leaseOwner, undefined);
        assert.deepEqual(await claim(store), []);
      }),
    );

    it(
      'opens a dead or paused run again by an order that says so',
      onBench(open, async ({ store, clock }) => {
        const dead = await leasedRun(store, { id: 'dead' });
        await store.strike({
          runId: 'dead',
          fence: dead.fence,
          delay: 0,
          dead: { reason: 'x', explanation: 'y' },
        });
        const paused = await leasedRun(store, { id: 'paused' });
        await store.append({
          runId: 'paused',
          fence: paused.fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          state: 'paused',
        });
        await store.release({ runId: 'paused', fence: paused.fence });
        for (const runId of ['dead', 'paused']) {
          await store.send(runId, { kind: 'input', payload: 'still there?' });
          assert.deepEqual(await store.claim({ owner: 'w', ttl, limit: 1, runId }), []);
          await store.send(runId, { kind: 'resume', payload: null, reopens: true });
          const lease = await claimRun(store, runId);
          assert.equal(lease.run.state, 'open');
          assert.equal(lease.run.strikes, 0);
          assert.equal(lease.run.finishedAt, undefined);
          assert.equal(lease.run.reason, undefined);
          assert.equal((await store.inbox(runId)).length, 2);
        }
      }),
    );

    it(
      'tells when the next run or schedule is due',
      onBench(open, async ({ store, clock }) => {
        const { time } = clock;
        assert.equal(await store.nextDue(time), undefined);
        await store.createRun({ id: 'r1', agent: 'x', wakeAt: time + 500 });
        assert.equal(await store.nextDue(time), 500);
        await store.saveSchedule({
          id: 's',
          agent: 'x',
          tenant: undefined,
          runId: undefined,
          spec: {},
          state: 'active',
          nextAt: time + 300,
          lastAt: undefined,
          createdAt: time,
        });
        assert.equal(await store.nextDue(time), 300);
        assert.equal(await store.nextDue(time + 400), 0);
        assert.equal(await store.now(), time);
      }),
    );
  });
}
