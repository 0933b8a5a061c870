import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BatchQueue, type BatchQueueOptions, type Outcome } from './batch-queue.ts';

interface Item {
  readonly key: string;
  readonly n: number;
  readonly size?: number;
}

/** A queue whose batches are ended by the test. */
function heldQueue(options: Partial<BatchQueueOptions<Item, number>> = {}) {
  const batches: {
    items: readonly Item[];
    end: (outcomes?: readonly Outcome<number>[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const queue = new BatchQueue<Item, number>({
    flights: 1,
    mostItems: 3,
    mostSize: 10,
    mostWaiting: 100,
    keyOf: ({ key }) => key,
    sizeOf: ({ size }) => size ?? 1,
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (outcomes?: readonly Outcome<number>[]) =>
          resolve(outcomes ?? items.map(({ n }) => ({ value: n })));
        batches.push({ items, end, fail: reject });
      }),
    ...options,
  });
  const add = (key: string, n: number, size = 1) => queue.add(() => ({ key, n, size }));
  const named = (index: number) => batches[index]?.items.map(({ key, n }) => `${key}${n}`);
  return { queue, batches, add, named };
}

test('what comes in one turn goes together, what comes meanwhile in the next', async () => {
  const { queue, batches, add, named } = heldQueue();
  const first = [add('a', 1), add('b', 1)];
  await turn();
  const second = [add('c', 1), add('d', 1)];
  await turn();
  assert.equal(batches.length, 1);
  assert.deepEqual(named(0), ['a1', 'b1']);
  batches[0]?.end();
  assert.deepEqual(await Promise.all(first), [1, 1]);
  await turn();
  assert.deepEqual(named(1), ['c1', 'd1']);
  batches[1]?.end();
  await Promise.all(second);
  await queue.settled();
});

test('one key goes one after the other, in order, also over several flights', async () => {
  const { batches, add, named } = heldQueue({ flights: 2 });
  const all = [add('a', 1), add('a', 2), add('b', 1), add('a', 3)];
  await turn();
  assert.deepEqual(named(0), ['a1', 'b1']);
  assert.equal(batches.length, 1);
  batches[0]?.end();
  await turn();
  await turn();
  assert.deepEqual(named(1), ['a2']);
  batches[1]?.end();
  await turn();
  await turn();
  batches[2]?.end();
  assert.deepEqual(await Promise.all(all), [1, 2, 1, 3]);
});

test('a batch is bounded by number and size, and one that is too large goes alone', async () => {
  const { batches, add, named } = heldQueue({ flights: 9 });
  const all = [add('a', 1), add('b', 2), add('c', 3), add('d', 4), add('e', 5, 50), add('f', 6, 9)];
  await turn();
  assert.deepEqual([0, 1, 2].map(named), [['a1', 'b2', 'c3'], ['d4', 'f6'], ['e5']]);
  for (const batch of batches) batch.end();
  await Promise.all(all);
});

test('fails alone, or with its batch', async () => {
  const { batches, add } = heldQueue();
  const all = [add('a', 1), add('b', 2)];
  await turn();
  batches[0]?.end([{ error: new Error('refused') }, { value: 2 }]);
  await assert.rejects(all[0] ?? Promise.resolve(), /refused/);
  assert.equal(await all[1], 2);
  const next = add('a', 3);
  await turn();
  await turn();
  batches[1]?.fail(new Error('no server'));
  await assert.rejects(next, /no server/);
});

test('who comes while it is full waits before anything is made', async () => {
  const { queue, batches } = heldQueue({ mostWaiting: 2, mostItems: 1 });
  let made = 0;
  const all = Array.from({ length: 6 }, (_, n) =>
    queue.add(() => {
      made += 1;
      return { key: `k${n}`, n };
    }),
  );
  assert.equal(made, 2);
  await turn();
  await turn();
  assert.equal(made, 3);
  for (let n = 0; n < 6; n += 1) {
    batches[n]?.end();
    await turn();
    await turn();
  }
  assert.deepEqual(await Promise.all(all), [0, 1, 2, 3, 4, 5]);
});

test('what cannot be made keeps no place', async () => {
  const { queue, batches } = heldQueue({ mostWaiting: 1 });
  const bad = () => {
    throw new Error('not JSON');
  };
  await assert.rejects(queue.add(bad), /not JSON/);
  const good = queue.add(() => ({ key: 'a', n: 7 }));
  await turn();
  batches[0]?.end();
  assert.equal(await good, 7);
});

test('what waits is parted among the flights that are free, unless it is little', async () => {
  const { batches, add } = heldQueue({ flights: 2, mostItems: 100, mostSize: 100 });
  const many = Array.from({ length: 30 }, (_, n) => add(`k${n}`, n));
  await turn();
  assert.deepEqual(
    batches.map(({ items }) => items.length),
    [15, 15],
  );
  for (const { end } of batches.splice(0)) end();
  await Promise.all(many);
  const few = Array.from({ length: 5 }, (_, n) => add(`k${n}`, n));
  await turn();
  assert.deepEqual(
    batches.map(({ items }) => items.length),
    [5],
  );
  batches[0]?.end();
  await Promise.all(few);
});
