import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { note } from './happenings.ts';
import {
  claim,
  claimedIds,
  claimRun,
  failsWith,
  leasedRun,
  type OpenTestDatabase,
  onBench,
  ttl,
} from './kit.ts';

export function claimsConformance(open: OpenTestDatabase): void {
  describe('leases', () => {
    it(
      'gives each run to exactly one of many workers',
      onBench(open, async ({ store, connect }) => {
        const stores = [store, await connect(), await connect()];
        const wanted = Array.from({ length: 30 }, (_, index) => `r${index}`);
        for (const id of wanted) await store.createRun({ id, agent: 'x' });
        const claims = await Promise.all(
          Array.from({ length: 24 }, (_, index) =>
            (stores[index % 3] ?? store).claim({ owner: `w${index}`, ttl, limit: 2 }),
          ),
        );
        let got = claims.flatMap(claimedIds);
        assert.equal(new Set(got).size, got.length);
        for (;;) {
          const more = claimedIds(await claim(store, 5));
          if (more.length === 0) break;
          got = [...got, ...more];
        }
        assert.deepEqual([...got].sort(), [...wanted].sort());
      }),
    );

    it(
      'gives none to a program whose tables a later one has changed',
      onBench(open, async ({ store, database }) => {
        await store.createRun({ id: 'r1', agent: 'x' });
        await database.execute(`update meta set value = '999' where key = 'schema'`);
        await failsWith('store_newer', claim(store, 1));
        await failsWith('store_newer', store.claim({ owner: 'w', ttl, limit: 1, runId: 'r1' }));
        assert.equal((await store.run('r1'))?.leaseOwner, undefined);
      }),
    );

    it(
      'raises the fence with every lease',
      onBench(open, async ({ store, clock }) => {
        const first = await leasedRun(store, { id: 'r1' });
        assert.equal(first.fence, first.run.fence);
        assert.equal(first.run.leaseOwner, 'worker');
        assert.equal(first.until, clock.time + ttl);
        assert.equal(first.run.leaseUntil, clock.time + ttl);
        await store.release({ runId: 'r1', fence: first.fence, wakeAt: clock.time });
        const second = await claimRun(store, 'r1');
        assert.ok(second.fence > first.fence);
        await failsWith('lease_lost', store.release({ runId: 'r1', fence: first.fence }));
        await failsWith('lease_lost', store.strike({ runId: 'r1', fence: first.fence, delay: 0 }));
      }),
    );

    it(
      'gives nobody a run that is leased, waits, or ended',
      onBench(open, async ({ store, clock }) => {
        await leasedRun(store, { id: 'leased' });
        await store.createRun({ id: 'later', agent: 'x', wakeAt: clock.time + 1 });
        const parked = await leasedRun(store, { id: 'parked' });
        await store.release({ runId: 'parked', fence: parked.fence });
        const ended = await leasedRun(store, { id: 'ended' });
        await store.append({
          runId: 'ended',
          fence: ended.fence,
          expectedSeq: 0,
          happenings: [],
          at: clock.time,
          state: 'failed',
        });
        await store.release({ runId: 'ended', fence: ended.fence, wakeAt: clock.time });
        assert.deepEqual(await claim(store), []);
        for (const runId of ['leased', 'later', 'parked', 'ended', 'unknown']) {
          assert.deepEqual(await store.claim({ owner: 'w', ttl, limit: 1, runId }), [], runId);
        }
        clock.advance(1);
        assert.deepEqual(claimedIds(await claim(store)), ['later']);
      }),
    );

    it(
      'gives a run to another once its lease has expired, and refuses the first worker from then on',
      onBench(open, async ({ store, clock }) => {
        const slow = await leasedRun(store, { id: 'r1' });
        clock.advance(ttl - 1);
        assert.deepEqual(await claim(store), []);
        clock.advance(1);
        const [quick] = await claim(store);
        assert.ok(quick);
        assert.equal(quick.run.strikes, 1);
        const step = { runId: 'r1', happenings: [note('x')], at: clock.time };
        await failsWith('lease_lost', store.append({ ...step, fence: slow.fence, expectedSeq: 0 }));
        assert.deepEqual(
          await store.heartbeat(
            [slow, quick].map(({ fence }) => ({ runId: 'r1', fence })),
            ttl,
          ),
          ['r1'],
        );
        await failsWith('lease_lost', store.release({ runId: 'r1', fence: slow.fence }));
        assert.deepEqual(await store.append({ ...step, fence: quick.fence, expectedSeq: 0 }), {
          seq: 1,
        });
        assert.equal((await store.events('r1')).length, 1);
      }),
    );

    it(
      'lets a worker go on after its lease ran out, as long as nobody took the run',
      onBench(open, async ({ store, clock }) => {
        const lease = await leasedRun(store, { id: 'r1' });
        clock.advance(ttl * 3);
        await store.append({
          runId: 'r1',
          fence: lease.fence,
          expectedSeq: 0,
          happenings: [note('late')],
          at: clock.time,
        });
        assert.deepEqual(await store.heartbeat([{ runId: 'r1', fence: lease.fence }], ttl), []);
        assert.deepEqual(await claim(store), []);
      }),
    );

    it(
      'keeps a run with its worker while it sends heartbeats',
      onBench(open, async ({ store, clock }) => {
        const lease = await leasedRun(store, { id: 'r1' });
        for (let beat = 0; beat < 5; beat += 1) {
          clock.advance(ttl - 1);
          assert.deepEqual(await store.heartbeat([{ runId: 'r1', fence: lease.fence }], ttl), []);
          assert.deepEqual(await claim(store), []);
        }
        assert.deepEqual(await store.heartbeat([], ttl), []);
        assert.deepEqual(await store.heartbeat([{ runId: 'gone', fence: 1 }], ttl), ['gone']);
      }),
    );

    it(
      'takes higher priorities first, then what is due longest',
      onBench(open, async ({ store, clock }) => {
        const runs = [
          { id: 'late-low', priority: 0, wakeAt: clock.time - 1 },
          { id: 'early-low', priority: 0, wakeAt: clock.time - 9 },
          { id: 'high', priority: 5, wakeAt: clock.time },
          { id: 'below', priority: -5, wakeAt: clock.time - 99 },
        ];
        for (const run of runs) await store.createRun({ agent: 'x', ...run });
        const order: string[] = [];
        for (let index = 0; index < 4; index += 1) order.push(...claimedIds(await claim(store, 1)));
        assert.deepEqual(order, ['high', 'early-low', 'late-low', 'below']);
      }),
    );

    it(
      'takes equal ones in the order they became due',
      onBench(open, async ({ store, clock }) => {
        const made: string[] = [];
        for (let index = 0; index < 6; index += 1) {
          clock.advance(1);
          made.push(`r${index}`);
          await store.createRun({ id: `r${index}`, agent: index % 2 === 0 ? 'a' : 'b' });
        }
        assert.deepEqual(claimedIds(await claim(store, 6)), made);
      }),
    );

    it(
      'serves tenants in turns',
      onBench(open, async ({ store, clock }) => {
        for (let index = 0; index < 10; index += 1) {
          clock.advance(1);
          await store.createRun({ id: `big-${index}`, agent: 'x', tenant: 'big' });
        }
        clock.advance(1);
        await store.createRun({ id: 'small-0', agent: 'x', tenant: 'small' });
        await store.createRun({ id: 'none-0', agent: 'x' });
        const got = claimedIds(await claim(store, 3));
        assert.deepEqual([...got].sort(), ['big-0', 'none-0', 'small-0']);
      }),
    );

    it(
      'lets nobody wait for ever behind a tenant with much to do',
      onBench(open, async ({ store, clock }) => {
        for (let index = 0; index < 10; index += 1) {
          await store.createRun({ id: `big-${index}`, agent: 'x', tenant: 'big' });
        }
        clock.advance(1);
        await store.createRun({ id: 'small-0', agent: 'x', tenant: 'small' });
        const order: string[] = [];
        for (let index = 0; index < 3; index += 1) {
          const [lease] = await claim(store, 1);
          assert.ok(lease);
          order.push(lease.run.id);
          await store.release({ runId: lease.run.id, fence: lease.fence });
        }
        assert.ok(order.includes('small-0'), order.join());
      }),
    );

    it(
      'keeps to the limits per agent and per tenant, counting all that is leased',
      onBench(open, async ({ store, clock, connect }) => {
        for (let index = 0; index < 4; index += 1) {
          await store.createRun({ id: `a${index}`, agent: 'a', tenant: 't' });
          await store.createRun({ id: `b${index}`, agent: 'b', tenant: 't' });
          await store.createRun({ id: `c${index}`, agent: 'b' });
        }
        const options = { owner: 'w', ttl, limit: 100, perAgent: { a: 2 }, perTenant: 3 };
        const first = await store.claim(options);
        const by = (letter: string) =>
          claimedIds(first).filter((id) => id.startsWith(letter)).length;
        assert.ok(by('a') <= 2);
        assert.equal(by('a') + by('b'), 3);
        assert.equal(by('c'), 4);
        assert.deepEqual(await (await connect()).claim(options), []);
        assert.deepEqual(await store.claim({ ...options, runId: 'a3' }), []);
        clock.advance(ttl); // Expired leases do not count.
        assert.equal((await store.claim(options)).length, 7);
      }),
    );

    it(
      'gives a worker only runs of agents it knows',
      onBench(open, async ({ store }) => {
        await store.createRun({ id: 'a', agent: 'a' });
        await store.createRun({ id: 'b', agent: 'b' });
        const options = { owner: 'w', ttl, limit: 9, agents: ['b', 'c'] };
        assert.deepEqual(await store.claim({ ...options, runId: 'a' }), []);
        assert.deepEqual(claimedIds(await store.claim(options)), ['b']);
        assert.deepEqual(await store.claim({ ...options, agents: [] }), []);
      }),
    );
  });
}
