import { performance } from 'node:perf_hooks';
import type { Model } from '@forge/core';
import { defineAgent } from '@forge/core';
import { openStore } from '@forge/store';
import { createRuntime } from '../../../packages/runtime/src/control/create-runtime.ts';
import { createWorker } from '../../../packages/runtime/src/worker/create-worker.ts';
import type { ParkedOrder } from './parked-worker.ts';
import { Resting } from './resting.ts';

const store = await openStore(process.argv[2] ?? '');
const runtime = createRuntime({ store });
const chat = defineAgent({ name: 'chat', standing: true });
const model: Model = {
  id: 'short',
  complete: async () => ({ content: [{ type: 'text', text: 'Yes.' }], finish: 'stop' }),
};
const resting = new Resting();
const worker = createWorker({ store, agents: [chat], model, onRest: resting.onRest });
const nameOf = (number: number) => `parked-${number}`;

async function park(count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const id = nameOf(next);
      next += 1;
      const rests = resting.next(id);
      await runtime.launch(chat.name, 'Are you there?', { id });
      await rests;
    }
  };
  await Promise.all(Array.from({ length: 100 }, lane));
}

/** Wakes that many, spread over all there are, one after the other. Gives milliseconds. */
async function wake(count: number, among: number, times: number): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < count; at++) {
    const id = nameOf((at * 7_919 + times * 104_729) % among);
    const rests = resting.next(id);
    const start = performance.now();
    await runtime.send(id, 'And now?');
    await rests;
    taken.push(performance.now() - start);
  }
  return taken;
}

async function carryOut(order: ParkedOrder): Promise<unknown> {
  switch (order.type) {
    case 'park':
      return park(order.count);
    case 'wake':
      return wake(order.count, order.among, order.round);
    case 'rest':
      await worker.idle();
      globalThis.gc?.();
      return process.memoryUsage.rss();
    default:
      throw new Error(`unknown order ${JSON.stringify(order satisfies never)}`);
  }
}

process.on('message', (order: ParkedOrder) => {
  carryOut(order).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
const end = () => process.exit();
process.once('SIGTERM', end);
process.once('disconnect', end);
process.send?.({ value: 'ready' });
