import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine, RunningEngine, RunOrder } from './engine.ts';
import { measureEngines } from './measure-engines.ts';

function engine(name: string): Engine {
  const start = () => Promise.reject(new Error('It runs already.'));
  return { name, ground: 'memory', effectsPerStep: 1, start };
}

/** So many milliseconds for each run, whatever else happens. */
function running(perRun: number, orders: RunOrder[] = []): RunningEngine {
  return {
    async run(order) {
      orders.push(order);
      return order.runs * perRun;
    },
    stop: async () => {},
  };
}

test('counts ten steps for each run, in as many rounds as asked for', async () => {
  const orders: RunOrder[] = [];
  const { speeds } = await measureEngines({
    running: new Map([[engine('even'), running(2, orders)]]),
    atOnce: 5,
    rounds: 3,
    milliseconds: 100,
  });
  assert.deepEqual(speeds[0]?.rounds, [5_000, 5_000, 5_000]);
  assert.ok(orders.every(({ atOnce }) => atOnce === 5));
  assert.equal(orders.at(-1)?.runs, 50);
});

test('goes on without an engine that fails, and says why', async () => {
  let calls = 0;
  const broken: RunningEngine = {
    async run({ runs }) {
      calls += 1;
      if (calls > 3) throw new Error('out of memory\nand more');
      return runs;
    },
    stop: async () => {},
  };
  const { speeds, failed } = await measureEngines({
    running: new Map([
      [engine('broken'), broken],
      [engine('sound'), running(1)],
    ]),
    atOnce: 10,
    rounds: 5,
    milliseconds: 10,
  });
  assert.deepEqual(
    speeds.map((speed) => speed.engine.name),
    ['sound'],
  );
  assert.deepEqual(failed, ['broken failed with Error: out of memory']);
});
