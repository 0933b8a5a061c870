import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ForgeError } from '@forge/core';
import type { Lease, Store } from '../store.ts';
import { note } from './happenings.ts';
import { type OpenTestDatabase, onBench, type TestClock, ttl } from './kit.ts';
import { Seeded } from './seeded.ts';

const runs = 6;
const messages = 120;

/** What was acknowledged: it must be in the log, once. */
interface Ledger {
  readonly acknowledged: Set<string>;
  readonly attempted: Set<string>;
}

/**
 * Works on a lease as a worker does, sometimes dying with it, sometimes coming back to it too late.
 * Every message it reads becomes an event with the message's name.
 */
async function work(
  { store, lease, ledger, random }: { store: Store; lease: Lease; ledger: Ledger; random: Seeded },
  clock: TestClock,
): Promise<void> {
  const { run, fence } = lease;
  let seq = run.seq;
  for (let turn = 0; turn < 3; turn += 1) {
    if (random.chance(10)) clock.advance(ttl); // Everybody's leases run out.
    const inbox = await store.inbox(run.id, 1 + random.below(4));
    if (inbox.length === 0) break;
    const happenings = inbox.map(({ payload }) => note(String(payload)));
    for (const { payload } of inbox) ledger.attempted.add(String(payload));
    try {
      const step = { runId: run.id, fence, expectedSeq: seq, happenings, at: clock.time };
      ({ seq } = await store.append({ ...step, consumes: inbox.map(({ id }) => id) }));
      for (const { payload } of inbox) ledger.acknowledged.add(String(payload));
    } catch (error) {
      if (ForgeError.is(error, 'lease_lost') || ForgeError.is(error, 'seq_conflict')) return;
      throw error;
    }
    if (random.chance(10)) return; // It died; somebody finds the lease expired.
  }
  await store.release({ runId: run.id, fence }).catch((error: unknown) => {
    if (!ForgeError.is(error, 'lease_lost')) throw error;
  });
}

export function stressConformance(open: OpenTestDatabase): void {
  for (const seed of [11, 12]) {
    it(
      `reads every message exactly once, with workers that die and come back (seed ${seed})`,
      onBench(open, async ({ store, clock, connect }) => {
        const stores = [store, await connect(), await connect()];
        const ledger: Ledger = { acknowledged: new Set(), attempted: new Set() };
        for (let index = 0; index < runs; index += 1)
          await store.createRun({ id: `r${index}`, agent: 'x' });
        const expected = Array.from({ length: messages }, (_, index) => `m${index}`);

        const sending = expected.map((payload, index) =>
          (stores[index % 3] ?? store).send(`r${index % runs}`, {
            kind: 'input',
            payload,
            source: payload,
          }),
        );
        const workers = stores.flatMap((own, index) =>
          [0, 1].map(async (half) => {
            const random = new Seeded(seed * 100 + index * 2 + half);
            for (let idle = 0; idle < 5; ) {
              const leases = await own.claim({ owner: `w${index}${half}`, ttl, limit: 2 });
              idle = leases.length === 0 ? idle + 1 : 0;
              if (leases.length === 0) clock.advance(ttl / 2);
              await Promise.all(
                leases.map((lease) => work({ store: own, lease, ledger, random }, clock)),
              );
            }
          }),
        );
        await Promise.all(sending);
        await Promise.all(workers);

        const seen: string[] = [];
        for (let index = 0; index < runs; index += 1) {
          const log = await store.events(`r${index}`);
          for (const [place, event] of log.entries()) {
            assert.equal(event.seq, place + 1);
            assert.ok('text' in event);
            seen.push(event.text);
          }
          assert.deepEqual(await store.inbox(`r${index}`), []);
        }
        assert.deepEqual(seen.sort(), [...expected].sort(), 'every message once');
        for (const word of ledger.acknowledged)
          assert.ok(seen.includes(word), `${word} was acknowledged`);
      }),
    );
  }
}
