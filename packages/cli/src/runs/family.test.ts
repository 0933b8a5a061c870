import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from '@forge/core';
import type { Store } from '@forge/store';
import { familyPast, familyRuns, followFamily, runsBelow } from './family.ts';
import { familyStore } from './family-store.ts';
import { ground } from './ground.test.ts';

/** A run at the top with a child, a grandchild, and a stranger beside them. */
async function family() {
  const made = await ground({ agents: [] });
  const { store } = made;
  await store.createRun({ id: 'top', agent: 'a' });
  await store.createRun({ id: 'child', agent: 'a', parent: { runId: 'top', callId: '1' } });
  await store.createRun({ id: 'grandchild', agent: 'a', parent: { runId: 'child', callId: '1' } });
  await store.createRun({ id: 'sibling', agent: 'a', parent: { runId: 'top', callId: '2' } });
  await store.createRun({ id: 'stranger', agent: 'a' });
  return { ...made, write: writer(store) };
}

function writer(store: Store) {
  const fences = new Map<string, number>();
  const seqs = new Map<string, number>();
  return async (runId: string, at: number) => {
    const known = fences.get(runId);
    const [lease] =
      known === undefined
        ? await store.claim({ owner: 'w', ttl: 60_000, limit: 1, runId })
        : [{ fence: known }];
    assert.ok(lease);
    fences.set(runId, lease.fence);
    const happening: Happening = { type: 'context.warned', level: 1, text: `${runId} ${at}` };
    const step = { runId, fence: lease.fence, expectedSeq: seqs.get(runId) ?? 0, at };
    const { seq } = await store.append({ ...step, happenings: [happening] });
    seqs.set(runId, seq);
  };
}

const wordsOf = (event: object) => ('text' in event ? event.text : event);

describe('a family of runs', () => {
  it('is everything below a run, parents before children', async () => {
    const { store } = await family();
    const ids = (await familyRuns(store, 'top')).map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), ['child', 'grandchild', 'sibling', 'top']);
    const below = runsBelow(await familyRuns(store, 'top'), 'child').map(({ id }) => id);
    assert.deepEqual(below, ['child', 'grandchild']);
  });

  it('has a past in the order of time, whoever wrote it', async () => {
    const { store, write } = await family();
    for (const [id, at] of [
      ['top', 1],
      ['child', 2],
      ['top', 3],
      ['grandchild', 4],
      ['child', 5],
    ] as const) {
      await write(id, at);
    }
    const told: unknown[] = [];
    for await (const { event } of familyPast(store, await familyRuns(store, 'top'))) {
      told.push(wordsOf(event));
    }
    assert.deepEqual(told, ['top 1', 'child 2', 'top 3', 'grandchild 4', 'child 5']);
  });

  it('is followed from the past on, each event once, without strangers', async () => {
    const { store, write } = await family();
    await write('top', 1);
    await write('stranger', 2);
    const over = new AbortController();
    const told: unknown[] = [];
    for await (const { event } of followFamily(store, 'top', { signal: over.signal })) {
      told.push(wordsOf(event));
      if (told.length === 1) {
        await write('stranger', 3);
        await store.createRun({ id: 'new', agent: 'a', parent: { runId: 'top', callId: '3' } });
        await write('new', 4);
        await write('top', 5);
      }
      if (told.length === 3) over.abort();
    }
    assert.deepEqual(told, ['top 1', 'new 4', 'top 5']);
  });

  it('can be the only one a worker takes up, or a part of it', async () => {
    const { store } = await family();
    const options = { owner: 'w', ttl: 60_000, limit: 10 };
    const child = familyStore(store, { id: 'child', rootId: 'top' });
    const taken = (await child.claim(options)).map(({ run }) => run.id);
    assert.deepEqual(taken.toSorted(), ['child', 'grandchild']);
    const rest = await familyStore(store, { id: 'top', rootId: 'top' }).claim({
      ...options,
      limit: 1,
    });
    assert.equal(rest.length, 1, 'no more than there is room for');
    assert.deepEqual((await store.claim(options)).length, 2, 'the stranger and one more are left');
  });
});
