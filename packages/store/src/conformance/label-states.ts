import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunFilter, RunState } from '../store.ts';
import { note } from './happenings.ts';
import { claimRun, ids, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

const label = { name: 'team', value: 'blue' };
const labels = { team: 'blue', floor: '2' };

export function labelStatesConformance(open: OpenTestDatabase): void {
  describe('labels and states', () => {
    it(
      'finds runs by a label and their state, whatever changed it',
      onBench(open, async ({ store, clock }) => {
        const found = async (...states: RunState[]) =>
          ids((await store.runs({ label, states })).items);
        const { fence } = await leasedRun(store, { id: 'r1', labels });
        await store.createRun({ id: 'other', agent: 'x', labels: { team: 'red' } });
        assert.deepEqual(await found('open'), ['r1']);
        const step = { runId: 'r1', fence, happenings: [note('x')], at: clock.time };
        await store.append({ ...step, expectedSeq: 0, state: 'paused' });
        assert.deepEqual(await found('open'), []);
        assert.deepEqual(await found('paused'), ['r1']);
        await store.append({ ...step, expectedSeq: 1, state: 'failed' });
        assert.deepEqual(await found('completed', 'failed'), ['r1']);
        await store.send('r1', { kind: 'input', payload: 1, reopens: true });
        assert.deepEqual(await found('open'), ['r1']);
        const again = await claimRun(store, 'r1');
        const dead = { reason: 'r', explanation: 'e' };
        await store.strike({ runId: 'r1', fence: again.fence, delay: 0, dead });
        assert.deepEqual(await found('dead'), ['r1']);
        assert.deepEqual(await found('open', 'paused', 'failed', 'completed', 'cancelled'), []);
        await store.fork({ runId: 'r1', upTo: 1, id: 'copy' });
        assert.deepEqual(await found('open'), ['copy']);
        assert.deepEqual(ids((await store.runs({ label })).items).toSorted(), ['copy', 'r1']);
      }),
    );

    it(
      'pages through every choice of filters, newest first',
      onBench(open, async ({ store, clock }) => {
        const made: { id: string; at: number; agent: string; tenant: string }[] = [];
        for (let number = 0; number < 24; number += 1) {
          const id = `r${String(number).padStart(2, '0')}`;
          const run = { id, agent: `a${number % 2}`, tenant: `t${number % 3}` };
          const { fence } = await leasedRun(store, { ...run, labels });
          const step = { runId: id, fence, expectedSeq: 0, happenings: [note('x')] };
          const state = (['open', 'completed', 'failed', 'paused'] as const)[number % 4] ?? 'open';
          await store.append({ ...step, at: clock.time, state });
          made.unshift({ ...run, at: clock.time });
          clock.advance(1);
        }
        const middle = made[12]?.at ?? 0;
        const filters: readonly [RunFilter, (run: (typeof made)[number]) => boolean][] = [
          [{ label }, () => true],
          [{ label, agent: 'a1' }, ({ agent }) => agent === 'a1'],
          [{ label, createdAfter: middle }, ({ at }) => at > middle],
          [
            { label, createdBefore: middle, states: ['open'] },
            ({ id, at }) => at < middle && Number(id.slice(1)) % 4 === 0,
          ],
          [{ agent: 'a0', tenant: 't2' }, ({ agent, tenant }) => agent === 'a0' && tenant === 't2'],
          [{ label, states: ['failed', 'paused'] }, ({ id }) => Number(id.slice(1)) % 4 > 1],
        ];
        for (const [filter, fits] of filters) {
          const seen: string[] = [];
          let after: string | undefined;
          do {
            const page = { limit: 5, ...(after !== undefined && { after }) };
            const { items, next } = await store.runs(filter, page);
            seen.push(...ids(items));
            after = next;
          } while (after !== undefined);
          assert.deepEqual(seen, ids(made.filter(fits)), JSON.stringify(filter));
        }
      }),
    );
  });
}
