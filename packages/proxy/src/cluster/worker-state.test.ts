import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError, freshProgress } from '@forge/core';
import { ModelError } from '@forge/models';
import fc from 'fast-check';
import { createLocalState, type LocalState } from '../local-state.ts';
import type { ProxyEvent } from '../proxy-event.ts';
import {
  type FromPrimary,
  type FromWorker,
  fromPrimarySchema,
  fromWorkerSchema,
} from './messages.ts';
import { WorkerDesk } from './worker-desk.ts';
import { createWorkerState } from './worker-state.ts';

const options = { serialize: true, sessions: true };
const turn = () => new Promise(setImmediate);
const event: ProxyEvent = {
  at: 0,
  took: 1,
  method: 'POST',
  path: '/',
  model: 'm',
  status: 200,
  outcome: 'clean',
  attempts: [],
};

/** A worker and its desk in one process: messages travel as JSON, one turn of the loop later. */
function linked(state: LocalState) {
  const sent: FromWorker[] = [];
  let isDead = false;
  const worker = createWorkerState({
    options,
    rules: {},
    port: {
      onMessage: () => {},
      async send(message) {
        sent.push(message);
        await turn();
        if (!isDead) desk.serve(fromWorkerSchema.parse(JSON.parse(JSON.stringify(message))));
      },
    },
  });
  const desk = new WorkerDesk({
    state,
    onEvent: () => {},
    port: {
      onMessage: () => {},
      async send(message: FromPrimary) {
        await turn();
        if (!isDead) worker.receive(fromPrimarySchema.parse(JSON.parse(JSON.stringify(message))));
      },
    },
  });
  const die = () => {
    isDead = true;
    desk.end();
  };
  return { worker, desk, sent, die };
}

describe('a worker and its primary', () => {
  it('never share a slot among more than it has room for, whoever leaves when', async () => {
    const step = fc.record({
      worker: fc.nat(2),
      priority: fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
      turns: fc.nat(4),
      boundaries: fc.nat(2),
      abortAfter: fc.option(fc.nat(8), { nil: undefined }),
    });
    const plan = fc.record({
      size: fc.integer({ min: 1, max: 2 }),
      steps: fc.array(step, { maxLength: 12 }),
      deathAfter: fc.option(fc.nat(12), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ size, steps, deathAfter }) => {
        const state = await createLocalState({ serialize: size });
        const workers = [linked(state), linked(state), linked(state)];
        let inside = 0;
        const uses = steps.map(async ({ worker, priority, turns, boundaries, abortAfter }) => {
          const stop = new AbortController();
          const aborting = (async () => {
            for (let at = 0; at < (abortAfter ?? 0); at++) await turn();
            if (abortAfter !== undefined) stop.abort();
          })();
          try {
            const { slot } = workers[worker]?.worker ?? {};
            assert.ok(slot);
            const hold = await slot.acquire({ priority, signal: stop.signal });
            try {
              for (let at = 0; at <= boundaries; at++) {
                if (at > 0) await hold.boundary();
                inside += 1;
                assert.ok(inside <= size);
                for (let count = 0; count < turns; count++) await turn();
                inside -= 1;
              }
            } finally {
              hold.release();
            }
          } catch (error) {
            assert.ok(ForgeError.is(error, 'cancelled') || ForgeError.is(error, 'model_failed'));
          }
          await aborting;
        });
        // The third worker may die; what it used is not looked at again.
        if (deathAfter !== undefined && steps.every(({ worker }) => worker !== 2)) {
          void workers[2]?.worker.slot?.acquire();
          for (let at = 0; at < deathAfter; at++) await turn();
          workers[2]?.die();
        }
        await Promise.all(uses);
        for (let at = 0; at < 5; at++) await turn();
        assert.equal(state.slot?.holding, 0);
        assert.equal(state.slot?.waiting, 0);
      }),
      { numRuns: 100 },
    );
  });

  it('lets a higher priority in at a boundary, and comes back', async () => {
    const state = await createLocalState({ serialize: true });
    const [one, other] = [linked(state), linked(state)];
    const order: string[] = [];
    const low = await one.worker.slot?.acquire();
    const urgent = other.worker.slot?.acquire({ priority: 1 }).then((hold) => {
      order.push('urgent');
      hold.release();
    });
    while (state.slot?.waiting === 0) await turn();
    await low?.boundary();
    order.push('back');
    low?.release();
    await urgent;
    assert.deepEqual(order, ['urgent', 'back']);
  });

  it('tell whoever waits when the slot is stopped or the primary is gone', async () => {
    const state = await createLocalState(options);
    const { worker } = linked(state);
    const hold = await worker.slot?.acquire();
    const waiting = worker.slot?.acquire();
    while (state.slot?.waiting === 0) await turn();
    await state.close();
    await assert.rejects(waiting ?? Promise.resolve(), (error) =>
      ForgeError.is(error, 'slot_stopped'),
    );
    const loading = worker.sessions?.load('k') ?? Promise.resolve();
    worker.lose();
    const isUnavailable = (error: unknown) =>
      error instanceof ModelError && error.kind === 'unavailable';
    await assert.rejects(loading, isUnavailable);
    await assert.rejects(worker.stats.report(), isUnavailable);
    hold?.release();
  });

  it('keep sessions and counts in one place', async () => {
    const state = await createLocalState(options);
    const [one, other] = [linked(state), linked(state)];
    assert.equal(await one.worker.sessions?.load('k'), undefined);
    one.worker.sessions?.save('k', { ...freshProgress, facts: ['a'] });
    await turn();
    assert.deepEqual((await other.worker.sessions?.load('k'))?.facts, ['a']);
    one.worker.stats.begin();
    one.worker.stats.begin();
    one.worker.stats.record(event);
    other.worker.stats.record(event);
    await other.worker.close();
    assert.equal((await one.worker.stats.report()).total.requests, 2);
    assert.equal(one.desk.inFlight, 1);
  });

  it('send events by the hundred, and drop the oldest when nobody takes them', async () => {
    const state = await createLocalState(options);
    const { worker, sent } = linked(state);
    for (let at = 0; at < 250; at++) worker.stats.record(event);
    assert.equal(sent.length, 2);
    await worker.close();
    assert.equal(sent.length, 3);
    assert.equal((await state.stats.report()).total.requests, 250);
    for (let at = 0; at < 30_000; at++) worker.stats.record(event);
    const dropped = () =>
      sent.reduce((sum, message) => sum + (message.type === 'events' ? message.dropped : 0), 0);
    await worker.close();
    assert.ok(dropped() > 0);
    for (let at = 0; at < 5; at++) await turn();
    assert.equal((await state.stats.report()).total.requests + dropped(), 30_250);
  });
});
