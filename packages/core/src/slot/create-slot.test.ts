import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defineAgent } from '../agents/define-agent.ts';
import { ForgeError } from '../errors.ts';
import { run } from '../run/run.ts';
import { calls, ScriptedModel } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { createSlot } from './create-slot.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('createSlot', () => {
  it('serves equals in the order they came', async () => {
    const slot = createSlot();
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3, 4].map(async (n) => {
        const hold = await slot.acquire();
        order.push(n);
        await tick();
        hold.release();
      }),
    );
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  it('serves a higher priority before lower ones that came earlier', async () => {
    const slot = createSlot();
    const first = await slot.acquire();
    const order: string[] = [];
    const wait = (name: string, priority: number) =>
      slot.acquire({ priority }).then((hold) => {
        order.push(name);
        hold.release();
      });
    const all = [wait('low', 0), wait('high', 5), wait('middle', 2)];
    first.release();
    await Promise.all(all);
    assert.deepEqual(order, ['high', 'middle', 'low']);
  });

  it('hands over at a boundary only to a higher priority, and comes back before its equals', async () => {
    const slot = createSlot();
    const order: string[] = [];
    const holder = await slot.acquire();
    const equal = slot.acquire().then((hold) => {
      order.push('equal');
      hold.release();
    });
    await holder.boundary();
    order.push('holder went on');
    const urgent = slot.acquire({ priority: 1 }).then((hold) => {
      order.push('urgent');
      hold.release();
    });
    await holder.boundary();
    order.push('holder is back');
    holder.release();
    await Promise.all([equal, urgent]);
    assert.deepEqual(order, ['holder went on', 'urgent', 'holder is back', 'equal']);
  });

  it('forgets one that gave up waiting', async () => {
    const slot = createSlot();
    const hold = await slot.acquire();
    const controller = new AbortController();
    const waiting = slot.acquire({ signal: controller.signal });
    controller.abort();
    await assert.rejects(waiting, (error) => ForgeError.is(error, 'cancelled'));
    assert.equal(slot.waiting, 0);
    hold.release();
    hold.release();
    assert.equal(slot.holding, 0);
  });

  it('settles everyone when it stops', async () => {
    const slot = createSlot();
    const holder = await slot.acquire();
    const waiting = slot.acquire();
    const stopped = slot.stop();
    await assert.rejects(waiting, (error) => ForgeError.is(error, 'slot_stopped'));
    await assert.rejects(holder.boundary(), (error) => ForgeError.is(error, 'slot_stopped'));
    await assert.rejects(slot.acquire(), (error) => ForgeError.is(error, 'slot_stopped'));
    holder.release();
    await stopped;
  });

  it('never has more holders than its size, and serves everyone', async () => {
    const holders = fc.array(
      fc.record({ priority: fc.integer({ min: 0, max: 3 }), uses: fc.integer({ min: 1, max: 3 }) }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(holders, fc.integer({ min: 1, max: 3 }), async (runs, size) => {
        const slot = createSlot({ size });
        let served = 0;
        await Promise.all(
          runs.map(async ({ priority, uses }) => {
            const hold = await slot.acquire({ priority });
            for (let use = 0; use < uses; use++) {
              await hold.boundary();
              assert.ok(slot.holding <= size);
              await null;
            }
            served += 1;
            hold.release();
          }),
        );
        assert.equal(served, runs.length);
        assert.equal(slot.holding, 0);
      }),
      { numRuns: 50 },
    );
  });

  it('refuses a size that is none', () => {
    assert.throws(() => createSlot({ size: 0 }), /at least 1/);
  });
});

describe('runs that share a slot', () => {
  it('lets an urgent run in between two turns and then finishes the first', async () => {
    const slot = createSlot();
    const order: string[] = [];
    const noop = defineTool({
      name: 'noop',
      description: '',
      input: { type: 'object' },
      run: tick,
    });
    const agent = defineAgent({ name: 'a', tools: [noop] });
    const scripted = (name: string, turns: number) =>
      new ScriptedModel([
        ...Array.from({ length: turns }, (_, n) => () => {
          order.push(`${name}${n + 1}`);
          return calls(['noop', { n }]);
        }),
        () => {
          order.push(`${name} done`);
          return 'ok';
        },
      ]);
    const slow = run(agent, 'x', { model: scripted('slow', 3), slot });
    while (order.length === 0) await tick();
    const urgent = run(agent, 'y', { model: scripted('urgent', 1), slot, priority: 1 });
    const results = await Promise.all([slow, urgent]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['completed', 'completed'],
    );
    assert.deepEqual(order, ['slow1', 'urgent1', 'urgent done', 'slow2', 'slow3', 'slow done']);
  });
});

describe('a slot whose holders go away at the worst moment', () => {
  const cancelled = (error: unknown) => ForgeError.is(error, 'cancelled');

  it('takes back what a displaced holder was given just before it let go', async () => {
    const slot = createSlot();
    const low = await slot.acquire();
    const urgent = slot.acquire({ priority: 1 });
    const back = low.boundary();
    (await urgent).release();
    low.release();
    await back;
    assert.equal(slot.holding, 0);
  });

  it('forgets a displaced holder that lets go while it waits', async () => {
    const slot = createSlot();
    const low = await slot.acquire();
    const urgent = slot.acquire({ priority: 1 });
    const back = low.boundary();
    const hold = await urgent;
    low.release();
    await assert.rejects(back, cancelled);
    assert.equal(slot.waiting, 0);
    hold.release();
    assert.equal(slot.holding, 0);
  });

  it('is free again after runs that were cancelled at any point', async () => {
    const agent = defineAgent({ name: 'a' });
    for (let delay = 0; delay < 40; delay++) {
      const slot = createSlot();
      const stop = new AbortController();
      const first = run(agent, 'Go', { model: new ScriptedModel(['one']), slot });
      const second = run(agent, 'Go', {
        model: new ScriptedModel(['two']),
        slot,
        priority: delay % 2,
        signal: stop.signal,
      });
      for (let tick = 0; tick < delay; tick++) await Promise.resolve();
      stop.abort();
      assert.equal((await first).status, 'completed');
      assert.ok(['completed', 'cancelled'].includes((await second).status));
      await new Promise(setImmediate);
      assert.equal(slot.holding, 0, `after ${delay} ticks`);
      assert.equal(slot.waiting, 0);
      await slot.stop();
    }
  });

  it('ends the runs that share it when it is stopped at any point', async () => {
    const agent = defineAgent({ name: 'a' });
    for (let delay = 0; delay < 40; delay++) {
      const slot = createSlot();
      const runs = [0, 1, 0].map((priority) =>
        run(agent, 'Go', { model: new ScriptedModel(['said']), slot, priority }),
      );
      for (let tick = 0; tick < delay; tick++) await Promise.resolve();
      await slot.stop();
      for (const { status, error } of await Promise.all(runs)) {
        if (status !== 'completed') assert.ok(ForgeError.is(error, 'slot_stopped'));
      }
      assert.equal(slot.holding, 0);
    }
  });

  it('refuses a priority that is no number', async () => {
    await assert.rejects(createSlot().acquire({ priority: Number.NaN }), /priority/);
  });
});
