import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { finished, note, replied, requested, started } from './happenings.ts';
import { claimRun, failsWith, ids, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';
import { appendAll, endedRun } from './projections.ts';

export function retentionConformance(open: OpenTestDatabase): void {
  describe('retention and forks', () => {
    it(
      'prunes ended runs, oldest first, with all that is theirs',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        const long = note('y'.repeat(100_000));
        const cutoff = () => clock.time + 1;
        await endedRun(bench, { id: 'old', happenings: [started(), long, finished()] });
        await store.send('old', { kind: 'x', payload: 1 });
        await store.saveSnapshot({ runId: 'old', seq: 1, version: 'v', state: '' });
        clock.advance(1);
        await endedRun(bench, { id: 'middle', happenings: [started(), long] });
        clock.advance(1);
        await endedRun(bench, { id: 'young' });
        await store.createRun({ id: 'open', agent: 'x' });
        const stats = await store.stats();

        assert.equal(await store.prune({ endedBefore: cutoff(), limit: 1 }), 1);
        assert.equal(await store.run('old'), undefined);
        assert.deepEqual(await store.events('old'), []);
        assert.deepEqual(await store.inbox('old'), []);
        assert.equal(await store.snapshot('old', 'v'), undefined);
        const [, kept] = await store.events('middle');
        assert.ok(kept && 'text' in kept, 'a payload another run uses stays');

        assert.equal(await store.prune({ endedBefore: cutoff() }), 2);
        assert.equal(await store.prune({ endedBefore: cutoff() }), 0);
        assert.deepEqual(ids((await store.runs()).items), ['open']);
        assert.deepEqual(await store.stats(), stats, 'what was done stays counted');
        await store.rebuild();
        assert.deepEqual(await store.stats(), stats, 'even when counted anew');
      }),
    );

    it(
      'keeps a family until all of it has ended, and long enough ago',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        await endedRun(bench, { id: 'parent' });
        await store.createRun({ id: 'child', agent: 'x', parent: { runId: 'parent' } });
        assert.equal(await store.prune({ endedBefore: clock.time + 1 }), 0);
        clock.advance(10);
        const { fence } = await claimRun(store, 'child');
        await store.append({
          runId: 'child',
          fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          state: 'failed',
          sends: [{ runId: 'parent', kind: 'result', payload: null }],
        });
        assert.equal(await store.prune({ endedBefore: clock.time }), 0);
        assert.equal(await store.prune({ endedBefore: clock.time + 1 }), 2);
      }),
    );

    it(
      'keeps bytes that were put by name when runs that used the same are pruned',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        const long = note('z'.repeat(100_000));
        const hash = await store.putBlob(Buffer.from(JSON.stringify(long)));
        await endedRun(bench, { id: 'r1', happenings: [long] });
        await store.prune({ endedBefore: clock.time + 1 });
        assert.ok(await store.blob(hash));
      }),
    );

    it(
      'forks a run at an event',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        const { fence } = await leasedRun(store, {
          id: 'r1',
          tenant: 't',
          priority: 2,
          title: 'First',
          labels: { a: 'b' },
        });
        await appendAll({ store, clock, runId: 'r1', fence }, [
          [started(), note('x'.repeat(100_000))],
          [requested(), replied({ usage: { inputTokens: 1, outputTokens: 1 }, cost: 1 })],
          [finished()],
        ]);
        const stats = await store.stats();
        const copy = await store.fork({ runId: 'r1', upTo: 3, id: 'r2' });
        assert.deepEqual(copy, await store.run('r2'));
        assert.equal(copy.seq, 3);
        assert.equal(copy.title, 'First');
        assert.equal(copy.tenant, 't');
        assert.equal(copy.priority, 2);
        assert.deepEqual(copy.labels, { a: 'b' });
        assert.deepEqual(copy.forkedFrom, { runId: 'r1', seq: 3 });
        assert.equal((await store.run('r1'))?.forkedFrom, undefined);
        assert.equal(copy.turns, 1);
        assert.equal(copy.cost, 0);
        assert.equal(copy.reason, undefined);
        assert.equal(copy.state, 'open');
        assert.equal(copy.wakeAt, undefined);
        const expected = (await store.events('r1', { limit: 3 })).map((event) => ({
          ...event,
          runId: 'r2',
        }));
        assert.deepEqual(await store.events('r2'), expected);
        assert.deepEqual(await store.stats(), stats, 'copied work is not done again');
        await store.rebuild();
        assert.deepEqual(await store.stats(), stats);
        assert.deepEqual(await store.run('r2'), copy);

        await store.send('r2', { kind: 'input', payload: 'go on' });
        const lease = await claimRun(store, 'r2');
        await store.append({
          runId: 'r2',
          fence: lease.fence,
          expectedSeq: 3,
          happenings: [note('new')],
          at: clock.time,
        });
        assert.equal((await store.events('r2')).length, 4);
        assert.equal((await store.events('r1')).length, 5);

        assert.equal(
          (await store.fork({ runId: 'r1', upTo: 0, id: 'r3', title: 'Anew' })).title,
          'Anew',
        );
        await failsWith('run_exists', store.fork({ runId: 'r1', upTo: 1, id: 'r2' }));
        await failsWith('not_found', store.fork({ runId: 'r1', upTo: 9, id: 'r9' }));
        await failsWith('not_found', store.fork({ runId: 'gone', upTo: 0, id: 'r9' }));
      }),
    );
  });
}
