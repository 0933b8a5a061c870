import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunFilter, RunState, Store } from '../store.ts';
import { allPages } from './all-pages.ts';
import { claimRun, ids, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

const none: Readonly<Record<RunState, number>> = {
  open: 0,
  paused: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  dead: 0,
};
const labels = { 'forge.repo': '/srv/shop' };
const label = { name: 'forge.repo', value: '/srv/shop' };

const listed = async (store: Store, filter: RunFilter) =>
  ids(await allPages((page) => store.runs({ topOnly: true, ...filter }, page), 2));

export function topRunsConformance(open: OpenTestDatabase): void {
  describe('top runs and counts', () => {
    it(
      'lists the runs without a parent alone, with every other filter',
      onBench(open, async ({ store, clock }) => {
        for (const [number, state] of (['open', 'failed', 'completed'] as const).entries()) {
          clock.advance(1);
          const id = `top-${number}`;
          const agent = `a${number % 2}`;
          const { fence } = await leasedRun(store, { id, agent, tenant: `t${number % 2}`, labels });
          const step = { runId: id, fence, expectedSeq: 0, at: clock.time };
          const children = ['x', 'y', 'z'].map((name) => {
            return { id: `${id}-${name}`, agent, tenant: 't0', labels };
          });
          await store.append({ ...step, happenings: [], children, state });
          await store.createRun({ id: `${id}-w`, agent, parent: { runId: id }, labels });
        }
        assert.equal((await store.runs()).items.length, 15);
        assert.deepEqual(await listed(store, {}), ['top-2', 'top-1', 'top-0']);
        assert.deepEqual(await listed(store, { states: ['open', 'failed'] }), ['top-1', 'top-0']);
        assert.deepEqual(await listed(store, { agent: 'a0' }), ['top-2', 'top-0']);
        assert.deepEqual(await listed(store, { tenant: 't0' }), ['top-2', 'top-0']);
        assert.deepEqual(await listed(store, { agent: 'a0', tenant: 't1' }), []);
        assert.deepEqual(await listed(store, { label }), ['top-2', 'top-1', 'top-0']);
        assert.deepEqual(await listed(store, { label, states: ['failed'] }), ['top-1']);
        assert.deepEqual(await listed(store, { label, agent: 'a1' }), ['top-1']);
        assert.deepEqual(await listed(store, { rootId: 'top-1' }), ['top-1']);
        assert.deepEqual(await listed(store, { parentId: 'top-1' }), []);
        assert.equal((await store.runs({ topOnly: false })).items.length, 15);

        await store.fork({ runId: 'top-0-x', upTo: 0, id: 'copy' });
        assert.deepEqual(await listed(store, { label, states: ['open'] }), ['copy', 'top-0']);
      }),
    );

    it(
      'counts runs by their state, whatever changes it',
      onBench(open, async ({ store, clock }) => {
        assert.deepEqual(await store.countRuns(), none);
        const { fence } = await leasedRun(store, { id: 'r1', agent: 'a' });
        await store.createRun({ id: 'r2', agent: 'b' });
        await store.createRun({ id: 'r3', agent: 'b', parent: { runId: 'r1' } });
        assert.deepEqual(await store.countRuns(), { ...none, open: 3 });
        assert.deepEqual(await store.countRuns({ topOnly: true }), { ...none, open: 2 });
        assert.deepEqual(await store.countRuns({ agent: 'b' }), { ...none, open: 2 });
        assert.deepEqual(await store.countRuns({ agent: 'b', topOnly: true }), {
          ...none,
          open: 1,
        });
        assert.deepEqual(await store.countRuns({ agent: 'nobody' }), none);

        const step = { runId: 'r1', fence, happenings: [], at: clock.time, expectedSeq: 0 };
        await store.append({ ...step, state: 'paused' });
        assert.deepEqual(await store.countRuns(), { ...none, open: 2, paused: 1 });
        await store.append({ ...step, state: 'completed' });
        const { fence: last } = await claimRun(store, 'r2');
        const dead = { reason: 'r', explanation: 'e' };
        await store.strike({ runId: 'r2', fence: last, delay: 0, dead });
        assert.deepEqual(await store.countRuns(), { ...none, open: 1, completed: 1, dead: 1 });
        await store.send('r1', { kind: 'input', payload: 1, reopens: true });
        assert.deepEqual(await store.countRuns(), { ...none, open: 2, dead: 1 });
        await store.prune({ endedBefore: clock.time + 1 });
        assert.deepEqual(await store.countRuns(), { ...none, open: 2 });
      }),
    );
  });
}
