import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import type { NewApproval, Store } from '../store.ts';
import {
  type Bench,
  claim,
  claimedIds,
  failsWith,
  ids,
  leasedRun,
  type OpenTestDatabase,
  onBench,
} from './kit.ts';

export const ask = (id: string, more: Partial<NewApproval> = {}): NewApproval => ({
  id,
  callId: `call-${id}`,
  tool: 'shell',
  proposed: { command: 'ls' },
  ...more,
});

/** A parked run that asked for these. */
export async function asked(
  { store, clock }: Bench,
  approvals: readonly NewApproval[],
  runId = 'r1',
): Promise<void> {
  const { fence } = await leasedRun(store, { id: runId });
  await store.append({ runId, fence, expectedSeq: 0, happenings: [], at: clock.time, approvals });
  await store.release({ runId, fence });
}

async function payloads(store: Store, runId = 'r1') {
  return (await store.inbox(runId)).map(({ kind, payload }) => ({ kind, payload }));
}

export function approvalsConformance(open: OpenTestDatabase): void {
  describe('approvals', () => {
    it(
      'shows at the top what a run below asks for, exactly as it was proposed',
      onBench(open, async ({ store, clock }) => {
        await store.createRun({ id: 'top', agent: 'planner' });
        const { fence } = await leasedRun(store, {
          id: 'r1',
          agent: 'coder',
          parent: { runId: 'top' },
        });
        const request = ask('p1', {
          deciders: ['ann'],
          expiresAt: clock.time + 1_000,
          question: { text: 'Which one?', choices: ['a', 'b'] },
        });
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          approvals: [request],
        });
        const expected = {
          ...request,
          runId: 'r1',
          rootId: 'top',
          agent: 'coder',
          state: 'pending',
          requestedAt: clock.time,
          decidedAt: undefined,
          decidedBy: undefined,
          via: undefined,
          approved: undefined,
          answer: undefined,
          reason: undefined,
        };
        assert.deepEqual(await store.approval('p1'), expected);
        assert.deepEqual((await store.approvals({ rootId: 'top' })).items, [expected]);
        assert.deepEqual((await store.approvals({ state: 'pending', runId: 'r1' })).items, [
          expected,
        ]);
        assert.deepEqual((await store.approvals({ state: 'denied' })).items, []);
        assert.equal(await store.approval('nobody'), undefined);
      }),
    );

    it(
      'decides, tells the run and wakes it',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        await asked(bench, [ask('p1'), ask('p2')]);
        clock.advance(86_400_000);
        const rows = await store.decide(
          [
            {
              id: 'p1',
              approved: true,
              by: 'ann',
              via: 'chat',
              args: { command: 'ls -l' },
              answer: ['x', 1],
            },
            { id: 'p2', approved: false, by: 'bob', reason: 'Too risky.' },
          ],
          clock.time,
        );
        assert.deepEqual(
          rows.map(({ state }) => state),
          ['approved', 'denied'],
        );
        assert.deepEqual(rows[0]?.proposed, { command: 'ls' });
        assert.deepEqual(rows[0]?.approved, { command: 'ls -l' });
        assert.deepEqual(rows[0], await store.approval('p1'));
        assert.deepEqual(await payloads(store), [
          {
            kind: 'approval',
            payload: {
              id: 'p1',
              callId: 'call-p1',
              approved: true,
              at: clock.time,
              by: 'ann',
              via: 'chat',
              args: { command: 'ls -l' },
              answer: ['x', 1],
            },
          },
          {
            kind: 'approval',
            payload: {
              id: 'p2',
              callId: 'call-p2',
              approved: false,
              at: clock.time,
              by: 'bob',
              reason: 'Too risky.',
            },
          },
        ]);
        assert.deepEqual(claimedIds(await claim(store)), ['r1']);
      }),
    );

    it(
      'decides exactly once, however many click',
      onBench(open, async (bench) => {
        const { store, clock, connect } = bench;
        await asked(bench, [ask('p1')]);
        const stores = [store, await connect(), await connect()];
        const clicks = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            (stores[index % 3] ?? store).decide(
              [{ id: 'p1', approved: index % 2 === 0, by: `person-${index}` }],
              clock.time,
            ),
          ),
        );
        const won = clicks.flatMap((click) => (click.status === 'fulfilled' ? click.value : []));
        assert.equal(won.length, 1);
        for (const click of clicks) {
          if (click.status === 'rejected')
            assert.ok(ForgeError.is(click.reason, 'already_decided'), `${click.reason}`);
        }
        assert.deepEqual(await store.approval('p1'), won[0]);
        assert.equal((await store.inbox('r1')).length, 1);
      }),
    );

    it(
      'decides all of a list or none of it, and names the first that cannot be',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        await asked(bench, [
          ask('p1'),
          ask('p2'),
          ask('mine', { deciders: ['ann'] }),
          ask('old', { expiresAt: clock.time + 10 }),
        ]);
        await store.decide([{ id: 'p2', approved: true, by: 'ann' }], clock.time);
        const yes = (id: string, by = 'bob') => ({ id, approved: true, by });
        clock.advance(10);
        const cases = [
          ['already_decided', [yes('p1'), yes('p2')], 'p2'],
          ['not_found', [yes('p1'), yes('gone'), yes('p2')], 'gone'],
          ['not_allowed', [yes('mine'), yes('p1')], 'mine'],
          ['expired', [yes('p1'), yes('old')], 'old'],
          ['already_decided', [yes('p1'), yes('p1')], 'p1'],
        ] as const;
        for (const [code, decisions, name] of cases) {
          const message = await failsWith(code, store.decide(decisions, clock.time));
          assert.ok(message.includes(`"${name}"`), message);
        }
        assert.equal((await store.approval('p1'))?.state, 'pending');
        assert.equal((await store.approval('mine'))?.state, 'pending');
        assert.equal((await store.inbox('r1')).length, 1);
        await store.decide([yes('mine', 'ann'), yes('p1')], clock.time);
        assert.equal((await store.approval('p1'))?.state, 'approved');
        assert.deepEqual(await store.decide([], clock.time), []);
      }),
    );

    it(
      'lets one of two overlapping lists through',
      onBench(open, async (bench) => {
        const { store, clock, connect } = bench;
        await asked(
          bench,
          Array.from({ length: 6 }, (_, index) => ask(`p${index}`)),
        );
        const other = await connect();
        const yes = (index: number) => ({ id: `p${index}`, approved: true, by: 'a' });
        const results = await Promise.allSettled([
          store.decide([0, 1, 2, 3].map(yes), clock.time),
          other.decide([5, 4, 3, 2].map(yes), clock.time),
        ]);
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
        assert.equal((await store.approvals({ state: 'approved' })).items.length, 4);
        assert.equal((await store.approvals({ state: 'pending' })).items.length, 2);
      }),
    );

    it(
      'expires what is due, once, and says so in another way than a denial',
      onBench(open, async (bench) => {
        const { store, clock, connect } = bench;
        await asked(bench, [
          ask('p1', { expiresAt: clock.time + 10 }),
          ask('p2', { expiresAt: clock.time + 20 }),
          ask('p3'),
        ]);
        assert.deepEqual(await store.expireApprovals(clock.time + 9), []);
        clock.advance(10);
        const other = await connect();
        const both = await Promise.all([
          store.expireApprovals(clock.time),
          other.expireApprovals(clock.time),
        ]);
        assert.deepEqual(both.flatMap(ids), ['p1']);
        assert.equal((await store.approval('p1'))?.state, 'expired');
        assert.deepEqual(await payloads(store), [
          { kind: 'approval_expired', payload: { id: 'p1', callId: 'call-p1', at: clock.time } },
        ]);
        assert.deepEqual(claimedIds(await claim(store)), ['r1']);
        await failsWith(
          'expired',
          store.decide([{ id: 'p1', approved: true, by: 'a' }], clock.time),
        );
      }),
    );
  });
}
