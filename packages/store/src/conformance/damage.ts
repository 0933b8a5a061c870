import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { note } from './happenings.ts';
import { claimRun, failsWith, leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

export function damageConformance(open: OpenTestDatabase): void {
  describe('damage', () => {
    it(
      'tells of rows that are no events, and goes on with the others',
      onBench(open, async ({ store, clock, database }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const happenings = ['a', 'b', 'c', 'd', 'e', 'f'].map((word) =>
          note(word === 'f' ? 'f'.repeat(70_000) : word),
        );
        await store.append({ runId: 'r1', fence, expectedSeq: 0, happenings, at: clock.time });
        await database.execute(`update events set data = '{"type":' where seq = 2`);
        await database.execute(`update events set data = '{"type":"moon.landed"}' where seq = 3`);
        await database.execute(`update events set v = 99 where seq = 4`);
        await database.execute(`update events set data = '[]' where seq = 5`);
        await database.execute(`delete from blobs`);
        const log = await store.events('r1');
        assert.deepEqual(
          log.map(({ seq }) => seq),
          [1, 2, 3, 4, 5, 6],
        );
        assert.deepEqual(
          log.map((event) => 'broken' in event),
          [false, true, true, true, true, true],
        );
        for (const event of log.slice(1)) assert.ok('broken' in event && event.broken.length > 0);

        const stop = new AbortController();
        const seen: number[] = [];
        for await (const { event, runId } of store.changes({ signal: stop.signal })) {
          assert.equal(runId, 'r1');
          seen.push(event.seq);
          if (seen.length === 6) stop.abort();
        }
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 6,
          happenings: [note('on')],
          at: clock.time,
        });
        await store.rebuild();
      }),
    );

    it(
      'gives a message that cannot be read as one that can be taken away',
      onBench(open, async ({ store, clock, database }) => {
        await store.createRun({
          id: 'r1',
          agent: 'x',
          inbox: [
            { kind: 'input', payload: 1 },
            { kind: 'input', payload: 2 },
          ],
        });
        await database.execute(`update inbox set payload = '{' where payload = '1'`);
        const inbox = await store.inbox('r1');
        assert.deepEqual(
          inbox.map(({ kind, payload }) => ({ kind, payload })),
          [
            { kind: 'broken', payload: { kind: 'input', text: '{' } },
            { kind: 'input', payload: 2 },
          ],
        );
        const { fence } = await claimRun(store, 'r1');
        const consumes = inbox.map(({ id }) => id);
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          consumes,
        });
        assert.deepEqual(await store.inbox('r1'), []);
      }),
    );

    it(
      'says which value is damaged where it matters',
      onBench(open, async ({ store, clock, database }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        await store.append({
          runId: 'r1',
          fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          approvals: [{ id: 'p1', callId: 'c', tool: 't', proposed: {} }],
        });
        await database.execute(`update approvals set proposed = '{'`);
        const message = await failsWith('store_failed', store.approval('p1'));
        assert.match(message, /approvals\.proposed of p1/);
        await database.execute(`update runs set labels = 'no'`);
        assert.deepEqual((await store.run('r1'))?.labels, {});
      }),
    );

    it(
      'opens what is there, and refuses what a later program left',
      onBench(open, async ({ store, database, connect }) => {
        await store.createRun({ id: 'r1', agent: 'x' });
        assert.equal((await (await connect()).run('r1'))?.agent, 'x');
        await database.execute(`update meta set value = '999' where key = 'schema'`);
        const message = await failsWith('store_newer', connect());
        assert.match(message, /999/);
      }),
    );

    it(
      'is made once, however many open it at first',
      onBench(open, async ({ connect }) => {
        const stores = await Promise.all(Array.from({ length: 5 }, () => connect()));
        await stores[0]?.createRun({ id: 'r1', agent: 'x' });
        for (const each of stores) assert.equal((await each.run('r1'))?.id, 'r1');
      }),
    );
  });
}
