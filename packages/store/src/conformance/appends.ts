import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening, RunEvent } from '@forge/core';
import type { BrokenEvent } from '../store.ts';
import { note, replied } from './happenings.ts';
import { failsWith, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

/** A log as words: the texts of its notes. */
function words(events: readonly (RunEvent | BrokenEvent)[]): readonly string[] {
  return events.map((event) => ('text' in event ? event.text : `event ${event.seq}`));
}

export function appendsConformance(open: OpenTestDatabase): void {
  describe('appends', () => {
    it(
      'numbers events densely and gives them back as they were',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const odd: Happening = {
          type: 'tool.started',
          callId: 'c',
          name: 'shell',
          args: {
            text: 'a\u0000b \ud83d\ude80 \u2028',
            deep: [{ n: 1.5, big: 9007199254740991, none: null }],
          },
          idempotencyKey: 'k',
        };
        assert.deepEqual(
          await store.append({
            runId: 'r1',
            fence,
            expectedSeq: 0,
            happenings: [note('one'), odd],
            at: clock.time,
          }),
          { seq: 2 },
        );
        clock.advance(5);
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 2,
          happenings: [note('three')],
          at: clock.time,
        });
        const log = await store.events('r1');
        assert.deepEqual(log, [
          { v: 1, runId: 'r1', seq: 1, at: clock.time - 5, ...note('one') },
          { v: 1, runId: 'r1', seq: 2, at: clock.time - 5, ...odd },
          { v: 1, runId: 'r1', seq: 3, at: clock.time, ...note('three') },
        ]);
        assert.deepEqual(await store.events('r1', { after: 1, limit: 1 }), [log[1]]);
        assert.deepEqual(await store.events('r1', { after: 3 }), []);
        assert.deepEqual(await store.events('nobody'), []);
        const row = await store.run('r1');
        assert.equal(row?.seq, 3);
        assert.equal(row?.updatedAt, clock.time);
      }),
    );

    it(
      'refuses a step that does not follow the log, and writes nothing of it',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, {
          id: 'r1',
          inbox: [{ kind: 'input', payload: 1 }],
        });
        await store.createRun({ id: 'other', agent: 'x' });
        const [message] = await store.inbox('r1');
        assert.ok(message);
        const at = clock.time;
        await store.append({ runId: 'r1', fence, expectedSeq: 0, happenings: [note('one')], at });
        const everything = {
          runId: 'r1',
          happenings: [note('never'), replied({ cost: 1 })],
          at,
          consumes: [message.id],
          approvals: [{ id: 'p', callId: 'c', tool: 't', proposed: {} }],
          timers: { t: at },
          children: [{ id: 'child', agent: 'x' }],
          sends: [{ runId: 'other', kind: 'hello', payload: null }],
          state: 'completed' as const,
        };
        await failsWith('seq_conflict', store.append({ ...everything, fence, expectedSeq: 0 }));
        await failsWith('seq_conflict', store.append({ ...everything, fence, expectedSeq: 2 }));
        await failsWith(
          'lease_lost',
          store.append({ ...everything, fence: fence + 1, expectedSeq: 1 }),
        );
        await failsWith(
          'lease_lost',
          store.append({ ...everything, fence: fence - 1, expectedSeq: 1 }),
        );
        await failsWith(
          'not_found',
          store.append({ ...everything, runId: 'nobody', fence, expectedSeq: 0 }),
        );
        assert.deepEqual(words(await store.events('r1')), ['one']);
        assert.equal((await store.inbox('r1')).length, 1);
        assert.equal(await store.approval('p'), undefined);
        assert.deepEqual(await store.timers('r1'), {});
        assert.equal(await store.run('child'), undefined);
        assert.deepEqual(await store.inbox('other'), []);
        const row = await store.run('r1');
        assert.equal(row?.state, 'open');
        assert.equal(row?.cost, 0);
      }),
    );

    it(
      'refuses whoever has given the lease back',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        await store.release({ runId: 'r1', fence });
        await failsWith(
          'lease_lost',
          store.append({
            runId: 'r1',
            fence,
            expectedSeq: 0,
            happenings: [note('x')],
            at: clock.time,
          }),
        );
        await failsWith('lease_lost', store.release({ runId: 'r1', fence }));
      }),
    );

    it(
      'lets one of several writers with the same expectation through',
      onBench(open, async ({ store, clock, connect }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const other = await connect();
        const results = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? store : other).append({
              runId: 'r1',
              fence,
              expectedSeq: 0,
              happenings: [note(`${index}`), note(`${index}`)],
              at: clock.time,
            }),
          ),
        );
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
        const [first, second, ...rest] = words(await store.events('r1'));
        assert.equal(first, second);
        assert.deepEqual(rest, []);
      }),
    );

    it(
      'takes steps that are sent without waiting for each other, in their order',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const steps = Array.from({ length: 20 }, (_, index) =>
          store.append({
            runId: 'r1',
            fence,
            expectedSeq: index,
            happenings: [note(`${index}`)],
            at: clock.time,
          }),
        );
        await Promise.all(steps);
        assert.deepEqual(
          words(await store.events('r1')),
          Array.from({ length: 20 }, (_, index) => `${index}`),
        );
      }),
    );

    it(
      'refuses one of many steps that come together without harm to the others',
      onBench(open, async ({ store, clock }) => {
        const fences = new Map<string, number>();
        for (let index = 0; index < 20; index += 1) {
          fences.set(`r${index}`, (await leasedRun(store, { id: `r${index}` })).fence);
        }
        const results = await Promise.allSettled(
          [...fences].map(([runId, fence], index) =>
            store.append({
              runId,
              fence,
              expectedSeq: index % 5 === 0 ? 7 : 0,
              happenings: [note(runId)],
              at: clock.time,
              ...(index % 5 === 1 && { sends: [{ runId: 'nobody', kind: 'x', payload: null }] }),
              ...(index % 5 === 2 && { children: [{ id: 'r0', agent: 'taken' }] }),
              ...(index % 5 === 3 && { children: [{ id: `child-of-${runId}`, agent: 'x' }] }),
            }),
          ),
        );
        for (const [index, { status }] of results.entries()) {
          assert.equal(status, index % 5 < 3 ? 'rejected' : 'fulfilled', `step ${index}`);
          assert.equal(
            (await store.events(`r${index}`)).length,
            index % 5 < 3 ? 0 : 1,
            `run ${index}`,
          );
        }
      }),
    );
  });
}
