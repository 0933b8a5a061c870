import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { finished, note } from './happenings.ts';
import { claimRun, failsWith, ids, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

const bad = 'a\0b';
const mended = 'a\uFFFDb';

export function nulConformance(open: OpenTestDatabase): void {
  describe('NUL characters', () => {
    it(
      'are refused in the names of things, and nothing of that call is written',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const step = {
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [note('x')],
          at: clock.time,
        };
        const message = { kind: 'input', payload: 1 };
        for (const work of [
          () => store.createRun({ id: bad, agent: 'x' }),
          () => store.createRun({ id: 'r2', agent: bad }),
          () => store.createRun({ id: 'r2', agent: 'x', tenant: bad }),
          () => store.createRun({ id: 'r2', agent: 'x', labels: { name: bad } }),
          () => store.createRun({ id: 'r2', agent: 'x', labels: { [bad]: 'value' } }),
          () => store.createRun({ id: 'r2', agent: 'x', inbox: [{ ...message, source: bad }] }),
          () => store.createRun({ id: bad, agent: 'x', parent: { runId: 'r1' } }),
          () => store.send('r1', { ...message, source: bad }),
          () => store.append({ ...step, timers: { [bad]: 1 } }),
          () => store.append({ ...step, children: [{ id: bad, agent: 'x' }] }),
          () =>
            store.append({
              ...step,
              approvals: [{ id: bad, callId: 'c', tool: 't', proposed: {} }],
            }),
          () => store.fork({ runId: 'r1', upTo: 0, id: bad }),
          () =>
            store.deployments.begin({
              id: 'd1',
              project: bad,
              target: 't',
              commit: 'c',
              startedAt: 1,
            }),
          () => store.run(bad),
          () => store.runs({ agent: bad }),
          () => store.events(bad),
          () => store.inbox(bad),
        ]) {
          await failsWith('invalid_options', work());
        }
        assert.deepEqual(ids((await store.runs()).items), ['r1']);
        assert.deepEqual(await store.inbox('r1'), []);
        assert.deepEqual(await store.timers('r1'), {});
        assert.equal((await store.run('r1'))?.seq, 0);
      }),
    );

    it(
      'do not harm others that are written at the same time',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const step = {
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [note('x')],
          at: clock.time,
        };
        const made = await Promise.allSettled([
          store.createRun({ id: 'good', agent: 'x' }),
          store.createRun({ id: bad, agent: 'x' }),
          store.append(step),
          store.createRun({ id: 'fine', agent: 'x' }),
        ]);
        assert.deepEqual(
          made.map(({ status }) => status),
          ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
        );
        assert.deepEqual(ids((await store.runs()).items).toSorted(), ['fine', 'good', 'r1']);
        assert.equal((await store.run('r1'))?.seq, 1);
      }),
    );

    it(
      'are replaced in free text, and kept where the text is JSON',
      onBench(open, async ({ store, clock }) => {
        const inbox = [{ kind: 'input', payload: bad }];
        const { fence } = await leasedRun(store, { id: 'r1', title: bad, inbox });
        assert.equal((await store.run('r1'))?.title, mended);
        const [message] = await store.inbox('r1');
        assert.equal(message?.payload, bad);
        const end = { ...finished('failed'), explanation: bad };
        const happenings = [note(bad), end];
        const consumes = [message?.id ?? 0];
        const step = { runId: 'r1', fence, expectedSeq: 0, happenings, at: clock.time, consumes };
        await store.append({ ...step, state: 'failed' });
        assert.equal((await store.run('r1'))?.explanation, mended);
        const [first] = await store.events('r1');
        assert.ok(first && 'text' in first && first.text === bad);
        await store.rebuild();
        assert.equal((await store.run('r1'))?.explanation, mended);
        const copy = await store.fork({ runId: 'r1', upTo: 2, id: 'r2', title: bad });
        assert.equal(copy.title, mended);
        await store.send('r2', { kind: 'input', payload: 1 });
        const { fence: last } = await claimRun(store, 'r2');
        const dead = { reason: 'r', explanation: bad };
        await store.strike({ runId: 'r2', fence: last, delay: 0, dead });
        assert.equal((await store.run('r2'))?.explanation, mended);
      }),
    );
  });
}
