import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { finished, note, replied, requested, started } from './happenings.ts';
import { claim, claimedIds, claimRun, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

export function appendEffectsConformance(open: OpenTestDatabase): void {
  describe('what a step brings about', () => {
    it(
      'reads messages with the step that comes from them',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, {
          id: 'r1',
          inbox: [
            { kind: 'input', payload: 'a' },
            { kind: 'input', payload: 'b' },
            { kind: 'input', payload: 'c' },
          ],
        });
        const before = await store.inbox('r1');
        assert.deepEqual(
          before.map(({ payload }) => payload),
          ['a', 'b', 'c'],
        );
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [note('x')],
          at: clock.time,
          consumes: before.slice(0, 2).map(({ id }) => id),
        });
        assert.deepEqual(
          (await store.inbox('r1')).map(({ payload }) => payload),
          ['c'],
        );
        assert.equal((await store.inbox('r1', 1)).length, 1);
      }),
    );

    it(
      'keeps long payloads once and gives them back in their place',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const long = note('ü'.repeat(70_000));
        const edge = note('x'.repeat(64 * 1024 - 100));
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [long, edge, long],
          at: clock.time,
        });
        const log = await store.events('r1');
        assert.deepEqual(
          log.map((event) => ('text' in event ? event.text.length : -1)),
          [70_000, 65_436, 70_000],
        );
      }),
    );

    it(
      'keeps timers, and wakes the run when the first is due',
      onBench(open, async ({ store, clock }) => {
        const at = clock.time;
        const { fence } = await leasedRun(store, { id: 'r1' });
        const step = { runId: 'r1', fence, happenings: [], expectedSeq: 0, at };
        await store.append({ ...step, timers: { a: at + 100, b: at + 50, c: at + 10 } });
        await store.append({ ...step, timers: { c: null, b: at + 70, unknown: null } });
        assert.deepEqual(await store.timers('r1'), { a: at + 100, b: at + 70 });
        await store.release({ runId: 'r1', fence });
        assert.equal((await store.run('r1'))?.wakeAt, at + 70);
        assert.equal(await store.nextDue(at), 70);
        assert.deepEqual(await claim(store), []);
        clock.advance(70);
        const again = await claimRun(store, 'r1');
        await store.append({ ...step, fence: again.fence, timers: { b: null } });
        await store.release({ runId: 'r1', fence: again.fence, wakeAt: at + 90 });
        assert.equal((await store.run('r1'))?.wakeAt, at + 90);
        clock.advance(20);
        const third = await claimRun(store, 'r1');
        await store.release({ runId: 'r1', fence: third.fence, wakeAt: at + 500 });
        assert.equal((await store.run('r1'))?.wakeAt, at + 100);
      }),
    );

    it(
      'starts children and speaks to other runs in the same step',
      onBench(open, async ({ store, clock }) => {
        await store.createRun({ id: 'top', agent: 'x' });
        const { fence } = await leasedRun(store, { id: 'mid', parent: { runId: 'top' } });
        const wait = await claimRun(store, 'top');
        await store.release({ runId: 'top', fence: wait.fence });
        await store.append({
          runId: 'mid',
          fence,
          expectedSeq: 0,
          happenings: [note('x')],
          at: clock.time,
          children: [
            {
              id: 'kid',
              agent: 'y',
              parent: { runId: 'mid', callId: 'call-7' },
              inbox: [{ kind: 'input', payload: 'do' }],
            },
            { id: 'kid-2', agent: 'y' },
          ],
          sends: [
            { runId: 'top', kind: 'result', payload: { ok: true }, source: 'mid:1' },
            { runId: 'top', kind: 'result', payload: { ok: true }, source: 'mid:1' },
            { runId: 'kid-2', kind: 'hello', payload: null },
          ],
        });
        const kid = await store.run('kid');
        assert.equal(kid?.parentId, 'mid');
        assert.equal(kid?.parentCallId, 'call-7');
        assert.equal(kid?.rootId, 'top');
        assert.equal((await store.run('kid-2'))?.parentId, 'mid');
        assert.equal((await store.inbox('kid')).length, 1);
        assert.equal((await store.inbox('kid-2')).length, 1);
        assert.deepEqual(
          (await store.inbox('top')).map(({ source }) => source),
          ['mid:1'],
        );
        assert.deepEqual([...claimedIds(await claim(store))].sort(), ['kid', 'kid-2', 'top']);
      }),
    );

    it(
      'shows in the row what the log adds up to',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [
            started(),
            requested(1),
            replied({ usage: { inputTokens: 10, outputTokens: 3 }, cost: 0.1 }),
          ],
          at: clock.time,
        });
        clock.advance(1);
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 3,
          happenings: [
            requested(2),
            replied({
              usage: { inputTokens: 5, outputTokens: 1, cachedInputTokens: 4 },
              cost: 0.2,
              turn: 2,
            }),
            finished(),
          ],
          at: clock.time,
          state: 'completed',
        });
        const row = await store.run('r1');
        assert.equal(row?.turns, 2);
        assert.deepEqual(row?.usage, { inputTokens: 15, outputTokens: 4, cachedInputTokens: 4 });
        assert.equal(row?.cost, 0.3);
        assert.equal(row?.reason, 'answered');
        assert.equal(row?.explanation, 'It completed.');
        assert.equal(row?.state, 'completed');
        assert.equal(row?.finishedAt, clock.time);
      }),
    );

    it(
      'leaves the end where it was when something is noted after it',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const end = clock.time;
        const step = { runId: 'r1', fence, expectedSeq: 0, happenings: [finished()], at: end };
        await store.append({ ...step, state: 'completed' });
        await store.send('r1', { kind: 'verdict', payload: {}, reopens: true });
        assert.equal((await store.run('r1'))?.finishedAt, undefined);
        const consumes = (await store.inbox('r1')).map(({ id }) => id);
        const again = await claimRun(store, 'r1');
        await store.append({
          ...{ runId: 'r1', expectedSeq: 1, happenings: [note('good')], at: end + 60_000 },
          ...{ fence: again.fence, consumes, state: 'completed', endedAt: end },
        });
        assert.equal((await store.run('r1'))?.finishedAt, end);
      }),
    );
  });
}
