import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError, type ForgeErrorCode } from '@forge/core';
import type { RunState, Store } from '../store.ts';
import { note } from './happenings.ts';
import { type Bench, type OpenTestDatabase, onBench, ttl } from './kit.ts';
import { ModelStore } from './model-store.ts';
import { Seeded } from './seeded.ts';
import { stressConformance } from './stress.ts';

const steps = 250;
const runIds = ['r0', 'r1', 'r2', 'r3'] as const;

/** What it gave, or the code it failed with. */
async function outcome<T>(work: Promise<T>): Promise<T | ForgeErrorCode> {
  try {
    return await work;
  } catch (error) {
    if (ForgeError.is(error)) return error.code;
    throw error;
  }
}

/** One random operation on one of the stores and on the model, whose answers must be the same. */
async function step(
  random: Seeded,
  { store, model, bench }: { store: Store; model: ModelStore; bench: Bench },
): Promise<void> {
  const { clock } = bench;
  const runId = random.pick(runIds);
  const known = model.runs.get(runId);
  const fence = (known?.fence ?? 0) - (random.chance(10) ? 1 : 0);
  switch (random.below(9)) {
    case 0: {
      const wakeAt = random.chance(30) ? clock.time + random.below(ttl) : undefined;
      const made = await outcome(
        store.createRun({ id: runId, agent: 'x', ...(wakeAt !== undefined && { wakeAt }) }),
      );
      assert.equal(typeof made === 'string' ? made : undefined, model.create(runId, wakeAt));
      return;
    }
    case 1:
    case 2: {
      const message = {
        kind: 'input',
        payload: random.below(1_000_000),
        wakes: random.chance(70),
        reopens: random.chance(30),
        ...(random.chance(50) && { source: `s${random.below(5)}` }),
      };
      assert.equal(await outcome(store.send(runId, message)), model.send(runId, message));
      return;
    }
    case 3: {
      const due = [...model.runs.keys()].filter((id) => model.isDue(id));
      const leases = await store.claim({ owner: 'w', ttl, limit: 10 });
      assert.deepEqual(leases.map(({ run }) => run.id).sort(), due.sort());
      for (const lease of leases) {
        assert.equal(lease.fence, model.claim(lease.run.id, ttl));
        assert.equal(lease.run.strikes, model.runs.get(lease.run.id)?.strikes);
      }
      return;
    }
    case 4: {
      const lost = await store.heartbeat([{ runId, fence }], ttl);
      assert.deepEqual(lost, model.heartbeat(runId, fence, ttl) ? [] : [runId]);
      return;
    }
    case 5:
    case 6: {
      const inbox = (await store.inbox(runId)).filter(() => random.chance(60));
      const timers = {
        [`t${random.below(2)}`]: random.chance(40) ? null : clock.time + random.below(ttl),
      };
      const events = random.below(3);
      const state = random.chance(15)
        ? random.pick<RunState>(['open', 'paused', 'completed'])
        : undefined;
      const expectedSeq = (known?.seq ?? 0) + (random.chance(10) ? 1 : 0);
      const common = { runId, fence, expectedSeq, timers, ...(state !== undefined && { state }) };
      const happenings = Array.from({ length: events }, () => note('x'));
      const written = await outcome(
        store.append({
          ...common,
          happenings,
          at: clock.time,
          consumes: inbox.map(({ id }) => id),
        }),
      );
      const reads = inbox.map(({ payload }) => Number(payload));
      assert.equal(
        typeof written === 'string' ? written : written.seq,
        model.append({ ...common, events, reads }),
      );
      return;
    }
    case 7: {
      const wakeAt = random.chance(40) ? clock.time + random.below(ttl) : undefined;
      const released = await outcome(
        store.release({ runId, fence, ...(wakeAt !== undefined && { wakeAt }) }),
      );
      assert.equal(released, model.release(runId, fence, wakeAt));
      return;
    }
    default: {
      if (random.chance(50)) {
        clock.advance(random.below(ttl));
        return;
      }
      const dead = random.chance(20);
      const delay = random.below(ttl);
      const struck = await outcome(
        store.strike({
          runId,
          fence,
          delay,
          ...(dead && { dead: { reason: 'r', explanation: 'e' } }),
        }),
      );
      assert.equal(struck, model.strike(runId, fence, { delay, dead }));
    }
  }
}

async function compare(store: Store, model: ModelStore): Promise<void> {
  for (const [id, expected] of model.runs) {
    const row = await store.run(id);
    assert.equal(row?.state, expected.state, id);
    assert.equal(row?.seq, expected.seq, id);
    assert.equal(row?.fence, expected.fence, id);
    assert.equal(row?.leaseUntil, expected.until, id);
    assert.equal(row?.strikes, expected.strikes, id);
    if (expected.until === undefined) assert.equal(row?.wakeAt, expected.wakeAt, id);
    const unread = expected.inbox.filter(({ read }) => !read).map(({ payload }) => payload);
    assert.deepEqual(
      (await store.inbox(id, 1_000)).map(({ payload }) => payload),
      unread,
      id,
    );
    assert.deepEqual(await store.timers(id), Object.fromEntries(expected.timers), id);
    const log = await store.events(id);
    assert.deepEqual(
      log.map(({ seq }) => seq),
      Array.from({ length: expected.seq }, (_, index) => index + 1),
      id,
    );
  }
}

export function modelConformance(open: OpenTestDatabase): void {
  describe('model', () => {
    for (const seed of [1, 2, 3, 4]) {
      it(
        `does what the model does, whichever store is asked (seed ${seed})`,
        onBench(open, async (bench) => {
          const stores = [bench.store, await bench.connect(), await bench.connect()] as const;
          const random = new Seeded(seed);
          const model = new ModelStore(bench.clock.now);
          for (let count = 0; count < steps; count += 1) {
            await step(random, { store: random.pick(stores), model, bench });
          }
          await compare(random.pick(stores), model);
        }),
      );
    }
    stressConformance(open);
  });
}
