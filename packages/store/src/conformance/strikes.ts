import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { note, resumed } from './happenings.ts';
import {
  claim,
  claimRun,
  failsWith,
  leasedRun,
  type OpenTestDatabase,
  onBench,
  ttl,
} from './kit.ts';

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
      'gives a run up whatever the failure said',
      onBench(open, async ({ store }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const dead = { reason: 'r', explanation: 'Unexpected token "\0"' };
        await store.strike({ runId: 'r1', fence, delay: 0, dead });
        const row = await store.run('r1');
        assert.equal(row?.state, 'dead');
        assert.match(row?.explanation ?? '', /^Unexpected token/);
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
      'postpones a run without a strike, though something waits for it',
      onBench(open, async ({ store, clock }) => {
        const inbox = [{ kind: 'input', payload: 'hello' }];
        const { fence } = await leasedRun(store, { id: 'r1', inbox });
        await store.postpone({ runId: 'r1', fence, delay: 500 });
        await failsWith('lease_lost', store.postpone({ runId: 'r1', fence, delay: 500 }));
        assert.deepEqual(await claim(store), []);
        clock.advance(500);
        const again = await claimRun(store, 'r1');
        assert.equal(again.run.strikes, 0);
        await store.postpone({ runId: 'r1', fence: again.fence, delay: 500 });
        await store.send('r1', { kind: 'input', payload: 'still there?' });
        assert.equal((await claimRun(store, 'r1')).run.strikes, 0);
      }),
    );

    it(
      'tells others of a strike with it, or nothing at all happens',
      onBench(open, async ({ store }) => {
        await store.createRun({ id: 'parent', agent: 'x' });
        const { fence } = await leasedRun(store, { id: 'child' });
        const strike = { runId: 'child', fence, delay: 0, dead: { reason: 'r', explanation: 'e' } };
        const news = { kind: 'result', payload: 'gone', source: 'child:child' };
        const toNobody = [
          { ...news, runId: 'parent' },
          { ...news, runId: 'nobody' },
        ];
        await failsWith('not_found', store.strike({ ...strike, sends: toNobody }));
        const sends = [{ ...news, runId: 'parent' }];
        await failsWith('lease_lost', store.strike({ ...strike, fence: fence - 1, sends }));
        assert.equal((await store.run('child'))?.state, 'open');
        assert.deepEqual(await store.inbox('parent'), []);

        await store.strike({ ...strike, sends });
        assert.equal((await store.run('child'))?.state, 'dead');
        const [heard, ...more] = await store.inbox('parent');
        assert.deepEqual([heard?.kind, heard?.payload, more], ['result', 'gone', []]);
        assert.equal((await claimRun(store, 'parent')).run.id, 'parent');
      }),
    );

    it(
      'withdraws what a run it gives up asked for, until that is opened again',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const ask = (id: string) => ({ id, callId: id, tool: 't', proposed: {} });
        const step = { runId: 'r1', fence, happenings: [], at: clock.time, expectedSeq: 0 };
        await store.append({ ...step, approvals: ['old', 'decided', 'a', 'b'].map(ask) });
        await store.append({ ...step, withdraws: ['old'] });
        const yes = (id: string) => ({ id, approved: true, by: 'ann' });
        await store.decide([yes('decided')], clock.time);
        const states = async () => {
          const { items } = await store.approvals({ runId: 'r1' });
          return Object.fromEntries(items.map(({ id, state }) => [id, state]));
        };
        const before = await states();
        clock.advance(1);
        const told: (readonly string[] | undefined)[] = [];
        const stop = store.onWake((ids) => told.push(ids));
        const dead = { reason: 'r', explanation: 'e' };
        await store.strike({ runId: 'r1', fence, delay: 0, dead });
        stop();
        assert.ok(told.some((ids) => ids?.includes('r1') === true));
        assert.deepEqual(await states(), { ...before, a: 'withdrawn', b: 'withdrawn' });
        await failsWith('already_decided', store.decide([yes('a')], clock.time));

        await store.send('r1', { kind: 'continue', payload: {}, reopens: true });
        assert.deepEqual(await states(), before);
        const [decided] = await store.decide([yes('a')], clock.time);
        assert.equal(decided?.state, 'approved');
        const kinds = (await store.inbox('r1')).map(({ kind }) => kind);
        assert.deepEqual(kinds, ['approval', 'continue', 'approval']);
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
