import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunFilter, Store } from '../store.ts';
import { failsWith, ids, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

async function allPages(
  store: Store,
  filter: RunFilter,
  limit: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.runs(filter, { limit, ...(after !== undefined && { after }) });
    assert.ok(page.items.length <= limit);
    found.push(...ids(page.items));
    after = page.next;
  } while (after !== undefined);
  return found;
}

export function runsConformance(open: OpenTestDatabase): void {
  describe('runs', () => {
    it(
      'gives a run as it was made',
      onBench(open, async ({ store, clock }) => {
        await store.createRun({ id: 'top', agent: 'planner' });
        const made = await store.createRun({
          id: 'r1',
          agent: 'writer',
          title: 'A title',
          tenant: 'acme',
          priority: 3,
          parent: { runId: 'top', callId: 'call-1' },
          labels: { team: 'blue', 'odd key': 'ä' },
        });
        assert.deepEqual(await store.run('r1'), made);
        assert.equal(made.title, 'A title');
        assert.equal(made.tenant, 'acme');
        assert.equal(made.priority, 3);
        assert.equal(made.parentId, 'top');
        assert.equal(made.parentCallId, 'call-1');
        assert.equal(made.rootId, 'top');
        assert.deepEqual(made.labels, { team: 'blue', 'odd key': 'ä' });
        assert.equal(made.state, 'open');
        assert.equal(made.seq, 0);
        assert.equal(made.wakeAt, clock.time);
        assert.equal(made.createdAt, clock.time);
        assert.deepEqual(made.usage, { inputTokens: 0, outputTokens: 0 });
        assert.equal(await store.run('nobody'), undefined);
      }),
    );

    it(
      'puts grandchildren under the top run',
      onBench(open, async ({ store }) => {
        await store.createRun({ id: 'a', agent: 'x' });
        await store.createRun({ id: 'b', agent: 'x', parent: { runId: 'a' } });
        const c = await store.createRun({ id: 'c', agent: 'x', parent: { runId: 'b' } });
        assert.equal(c.rootId, 'a');
        await failsWith(
          'not_found',
          store.createRun({ id: 'd', agent: 'x', parent: { runId: 'gone' } }),
        );
        assert.equal(await store.run('d'), undefined);
      }),
    );

    it(
      'refuses an id that is taken, and keeps what was there',
      onBench(open, async ({ store }) => {
        await store.createRun({ id: 'r1', agent: 'first' });
        await failsWith(
          'run_exists',
          store.createRun({ id: 'r1', agent: 'second', inbox: [{ kind: 'input', payload: 1 }] }),
        );
        assert.equal((await store.run('r1'))?.agent, 'first');
        assert.deepEqual(await store.inbox('r1'), []);
      }),
    );

    it(
      'gives one id to exactly one of 20 callers',
      onBench(open, async ({ store, connect }) => {
        const other = await connect();
        const made = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? store : other).createRun({ id: 'same', agent: `agent-${index}` }),
          ),
        );
        assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
      }),
    );

    it(
      'lists newest first, in pages that end',
      onBench(open, async ({ store, clock }) => {
        const made: string[] = [];
        for (let index = 0; index < 25; index += 1) {
          if (index % 5 !== 0) clock.advance(1); // Some share a moment.
          const id = `r${String(index).padStart(2, '0')}`;
          await store.createRun({ id, agent: 'x' });
          made.unshift(id);
        }
        assert.deepEqual(await allPages(store, {}, 4), made);
        assert.deepEqual(await allPages(store, {}, 25), made);
        assert.deepEqual(ids((await store.runs()).items), made);
        assert.equal((await store.runs({}, { limit: 24 })).next !== undefined, true);
      }),
    );

    it(
      'shows no run twice and leaves none out while runs are made',
      onBench(open, async ({ store, clock }) => {
        for (let index = 0; index < 9; index += 1) {
          clock.advance(1);
          await store.createRun({ id: `old-${index}`, agent: 'x' });
        }
        const found: string[] = [];
        let after: string | undefined;
        do {
          const page = await store.runs({}, { limit: 2, ...(after !== undefined && { after }) });
          found.push(...ids(page.items));
          after = page.next;
          clock.advance(1);
          await store.createRun({ id: `new-${found.length}`, agent: 'x' });
        } while (after !== undefined);
        assert.deepEqual(found, [
          'old-8',
          'old-7',
          'old-6',
          'old-5',
          'old-4',
          'old-3',
          'old-2',
          'old-1',
          'old-0',
        ]);
      }),
    );

    it(
      'filters by everything that is said, together',
      onBench(open, async ({ store, clock }) => {
        const done = await leasedRun(store, {
          id: 'done',
          agent: 'a',
          tenant: 't1',
          labels: { k: 'v' },
        });
        await store.append({
          runId: 'done',
          fence: done.fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          state: 'completed',
        });
        clock.advance(1);
        await store.createRun({ id: 'a1', agent: 'a', tenant: 't1', labels: { k: 'v' } });
        clock.advance(1);
        await store.createRun({ id: 'a2', agent: 'a', tenant: 't2', labels: { k: 'w' } });
        clock.advance(1);
        await store.createRun({
          id: 'b1',
          agent: 'b',
          tenant: 't1',
          parent: { runId: 'a1' },
          labels: { k: 'v', z: 'v' },
        });

        assert.deepEqual(await allPages(store, { agent: 'a' }, 2), ['a2', 'a1', 'done']);
        assert.deepEqual(await allPages(store, { tenant: 't1' }, 1), ['b1', 'a1', 'done']);
        assert.deepEqual(await allPages(store, { states: ['open'] }, 2), ['b1', 'a2', 'a1']);
        assert.deepEqual(await allPages(store, { states: ['open', 'completed'] }, 1), [
          'b1',
          'a2',
          'a1',
          'done',
        ]);
        assert.deepEqual(await allPages(store, { states: ['completed', 'dead'] }, 1), ['done']);
        assert.deepEqual(await allPages(store, { states: [] }, 1), []);
        assert.deepEqual(await allPages(store, { agent: 'a', tenant: 't1', states: ['open'] }, 1), [
          'a1',
        ]);
        assert.deepEqual(await allPages(store, { label: { name: 'k', value: 'v' } }, 1), [
          'b1',
          'a1',
          'done',
        ]);
        assert.deepEqual(
          await allPages(
            store,
            { label: { name: 'k', value: 'v' }, states: ['completed', 'open'], agent: 'a' },
            1,
          ),
          ['a1', 'done'],
        );
        assert.deepEqual(await allPages(store, { parentId: 'a1' }, 1), ['b1']);
        assert.deepEqual(await allPages(store, { rootId: 'a1' }, 1), ['b1', 'a1']);
        const first = await store.run('done');
        assert.ok(first);
        assert.deepEqual(await allPages(store, { createdAfter: first.createdAt }, 2), [
          'b1',
          'a2',
          'a1',
        ]);
        assert.deepEqual(await allPages(store, { createdBefore: first.createdAt + 1 }, 2), [
          'done',
        ]);
      }),
    );

    it(
      'says what is wrong with a page that is none',
      onBench(open, async ({ store }) => {
        await failsWith('invalid_options', store.runs({}, { after: 'nonsense' }));
        await failsWith('invalid_options', store.runs({}, { limit: 0 }));
      }),
    );
  });
}
