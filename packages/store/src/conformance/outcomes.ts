import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome } from '@forge/core';
import type { OutcomeFilter } from '../outcomes/outcome-row.ts';
import type { Store } from '../store.ts';
import { allPages } from './all-pages.ts';
import { finished, note, recorded, started } from './happenings.ts';
import { type Bench, failsWith, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';
import { endedRun } from './projections.ts';

const notes = (store: Store, filter: OutcomeFilter = {}, limit = 2) =>
  allPages((page) => store.outcomes(filter, page), limit).then((rows) =>
    rows.map((row) => row.note),
  );

/** A run that came out so, among events that are no outcomes. */
async function runThatCameOut(
  bench: Pick<Bench, 'store' | 'clock'>,
  id: string,
  { parentId, ...outcome }: Partial<Outcome> & { readonly parentId?: string } = {},
): Promise<void> {
  bench.clock.advance(10);
  const happenings = [started(), note('x'), recorded({ note: id, ...outcome }), finished()];
  await endedRun(bench, { id, happenings, ...(parentId !== undefined && { parentId }) });
}

export function outcomesConformance(open: OpenTestDatabase): void {
  describe('outcomes', () => {
    it(
      'gives an outcome as it was recorded, with its run',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        assert.deepEqual(await store.outcomes(), { items: [], next: undefined });
        await store.createRun({ id: 'top', agent: 'pipeline' });
        const outcome: Outcome = {
          kind: 'review',
          verdict: 'partial',
          taskType: 'review',
          agent: 'reviewer',
          model: 'ollama:qwen3:8b',
          promptVersion: 'reviewer@3f2a91c0',
          cost: 0.25,
          tokens: 1_234,
          latencyMs: 5_678,
          by: 'ann',
          note: 'Two findings.',
        };
        await runThatCameOut(bench, 'r1', { ...outcome, parentId: 'top' });
        assert.deepEqual((await store.outcomes()).items, [
          { ...outcome, runId: 'r1', rootId: 'top', seq: 3, at: clock.time },
        ]);
      }),
    );

    it(
      'lists newest first, in pages that end, several of one moment and one run too',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        const { fence } = await leasedRun(store, { id: 'busy' });
        const happenings = ['a', 'b', 'c', 'd'].map((word) => recorded({ note: word }));
        await store.append({ runId: 'busy', fence, expectedSeq: 0, happenings, at: clock.time });
        await runThatCameOut(bench, 'later');
        const all = ['later', 'd', 'c', 'b', 'a'];
        for (const limit of [1, 2, 4, 5, 6]) assert.deepEqual(await notes(store, {}, limit), all);
        assert.equal((await store.outcomes({}, { limit: 5 })).next, undefined);
        for (const after of ['nonsense', '5:x']) {
          await failsWith('invalid_options', store.outcomes({}, { after }));
        }
        await failsWith('invalid_options', store.outcomes({}, { limit: 0 }));
      }),
    );

    it(
      'filters by everything that is said, together',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        await store.createRun({ id: 'top', agent: 'pipeline' });
        await runThatCameOut(bench, 'r1', { parentId: 'top' });
        await runThatCameOut(bench, 'r2', { parentId: 'top', kind: 'review', taskType: 'review' });
        const middle = clock.time;
        await runThatCameOut(bench, 'r3', { agent: 'coder', kind: 'human' });
        await runThatCameOut(bench, 'r4', { agent: 'coder' });

        assert.deepEqual(await notes(store, { rootId: 'top' }, 1), ['r2', 'r1']);
        assert.deepEqual(await notes(store, { rootId: 'r4' }), ['r4']);
        assert.deepEqual(await notes(store, { runId: 'r1' }), ['r1']);
        assert.deepEqual(await notes(store, { runId: 'r1', rootId: 'r4' }), []);
        assert.deepEqual(await notes(store, { kind: 'run' }, 1), ['r4', 'r1']);
        assert.deepEqual(await notes(store, { taskType: 'coding' }), ['r4', 'r3', 'r1']);
        assert.deepEqual(await notes(store, { agent: 'coder', kind: 'run' }), ['r4']);
        assert.deepEqual(await notes(store, { after: middle }), ['r4', 'r3']);
        assert.deepEqual(await notes(store, { before: middle }), ['r1']);
        assert.deepEqual(await notes(store, { after: middle - 1, before: middle + 1 }), ['r2']);
        assert.deepEqual(await notes(store, { kind: 'run', before: middle }), ['r1']);
        assert.deepEqual(await notes(store, { agent: 'nobody' }), []);
      }),
    );

    it(
      'finds the few among many',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'busy' });
        const quoted = { note: 'Not "kind":"human" at all.' };
        let seq = 0;
        for (let step = 0; step < 11; step += 1) {
          const happenings = Array.from({ length: 1_000 }, (_, index) =>
            recorded(index === 999 && step % 5 === 0 ? { kind: 'human', note: `${step}` } : quoted),
          );
          const at = clock.time + step;
          ({ seq } = await store.append({
            runId: 'busy',
            fence,
            expectedSeq: seq,
            happenings,
            at,
          }));
        }
        const first = await store.outcomes({ kind: 'human' }, { limit: 3 });
        assert.deepEqual(
          first.items.map((row) => row.note),
          ['10', '5', '0'],
        );
        assert.equal(first.next, undefined);
        assert.deepEqual(await notes(store, { kind: 'human' }, 1), ['10', '5', '0']);

        const { items, next } = await store.outcomes({ taskType: 'review' });
        assert.deepEqual(items, [], 'so many are looked at for a page');
        assert.ok(next, 'and there are more');
        assert.deepEqual(await notes(store, { taskType: 'review' }), []);
        assert.deepEqual(await notes(store, { kind: 'human', taskType: 'coding' }), [
          '10',
          '5',
          '0',
        ]);
      }),
    );

    it(
      'leaves out what cannot be read',
      onBench(open, async (bench) => {
        const { store, database } = bench;
        for (const id of ['r1', 'r2', 'r3', 'r4', 'r5', 'r6']) await runThatCameOut(bench, id);
        await runThatCameOut(bench, 'long', { note: 'n'.repeat(70_000) });
        const harm = (id: string, set: string) =>
          database.execute(`update events set ${set} where run_id = '${id}' and seq = 3`);
        await harm('r2', `data = '{"type":'`);
        await harm('r3', `data = '{"type":"outcome.recorded","kind":"moon"}'`);
        await harm('r4', `v = 99`);
        await harm('r6', `data = '${JSON.stringify(note('x'))}'`);
        const ids = async () => (await store.outcomes()).items.map(({ runId }) => runId);
        assert.deepEqual(await ids(), ['long', 'r5', 'r1']);
        for (const limit of [1, 2, 3]) {
          assert.equal((await notes(store, {}, limit)).length, 3);
        }
        const long = (await store.outcomes({ kind: 'run' }, { limit: 1 })).items;
        assert.equal(long[0]?.runId, 'long', 'also what is too long for its row has a kind');
        await database.execute('delete from blobs');
        assert.deepEqual(await ids(), ['r5', 'r1']);
      }),
    );

    it(
      'counts what a fork copied once, and forgets what is pruned',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        await runThatCameOut(bench, 'r1');
        await store.fork({ runId: 'r1', upTo: 4, id: 'copy' });
        assert.deepEqual(await notes(store), ['r1']);
        assert.deepEqual(await notes(store, { runId: 'copy' }), []);
        await store.prune({ endedBefore: clock.time + 1 });
        assert.deepEqual(await notes(store), []);
      }),
    );
  });
}
