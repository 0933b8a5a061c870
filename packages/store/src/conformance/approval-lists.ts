import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask, asked } from './approvals.ts';
import { claimRun, failsWith, ids, type OpenTestDatabase, onBench } from './kit.ts';

export function approvalListsConformance(open: OpenTestDatabase): void {
  describe('lists of approvals and rules', () => {
    it(
      'withdraws what nobody has to decide any more, but not what is decided',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        await asked(bench, [ask('p1'), ask('p2')]);
        await asked(bench, [ask('other')], 'r2');
        await store.decide([{ id: 'p1', approved: true, by: 'a' }], clock.time);
        const { fence } = await claimRun(store, 'r1');
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          withdraws: ['p1', 'p2', 'other', 'unknown'],
        });
        assert.equal((await store.approval('p1'))?.state, 'approved');
        assert.equal((await store.approval('p2'))?.state, 'withdrawn');
        assert.equal((await store.approval('other'))?.state, 'pending');
        await failsWith(
          'already_decided',
          store.decide([{ id: 'p2', approved: true, by: 'a' }], clock.time),
        );
      }),
    );

    it(
      'pages through approvals, newest first',
      onBench(open, async (bench) => {
        const { store } = bench;
        await asked(
          bench,
          Array.from({ length: 5 }, (_, index) => ask(`p${index}`)),
        );
        const first = await store.approvals({}, { limit: 3 });
        assert.deepEqual(ids(first.items), ['p4', 'p3', 'p2']);
        assert.ok(first.next);
        const second = await store.approvals({}, { limit: 3, after: first.next });
        assert.deepEqual(ids(second.items), ['p1', 'p0']);
        assert.equal(second.next, undefined);
      }),
    );

    it(
      'keeps rules until they are revoked',
      onBench(open, async ({ store }) => {
        const rule = { pattern: 'shell(git *)', createdBy: 'ann' };
        const rules = [
          { ...rule, id: '1', effect: 'allow' as const, scope: 'always' as const, createdAt: 1 },
          { ...rule, id: '2', effect: 'deny' as const, scope: { runId: 'r1' }, createdAt: 2 },
          { ...rule, id: '3', effect: 'allow' as const, scope: { agent: 'coder' }, createdAt: 3 },
        ];
        for (const each of rules) await store.addRule(each);
        assert.deepEqual(await store.rules(), rules);
        await failsWith(
          'invalid_options',
          store.addRule({ ...rule, id: '1', effect: 'deny', scope: 'always', createdAt: 4 }),
        );
        assert.equal(await store.revokeRule('2'), true);
        assert.equal(await store.revokeRule('2'), false);
        assert.equal(await store.revokeRule('none'), false);
        assert.deepEqual(ids(await store.rules()), ['1', '3']);
      }),
    );
  });
}
