import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeard } from './heard.ts';
import type { QueueProblem } from './queue.ts';
import { testQueue } from './queue-conformance.ts';
import { createStoreQueue } from './store-queue.ts';

/** The part of a store that tells of runs that became due. */
function createWakes() {
  const listeners = new Set<(runIds: readonly string[] | undefined) => void>();
  return {
    listeners,
    tell: (runIds: readonly string[] | undefined) => {
      for (const listener of listeners) listener(runIds);
    },
    onWake(listener: (runIds: readonly string[] | undefined) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const nothing = async () => {};

testQueue({
  name: 'the store alone',
  dangers: [],
  start: async () => ({
    open: async (_name, options) => createStoreQueue({ ...options, store: createWakes() }),
    down: nothing,
    up: nothing,
    empty: nothing,
    stop: nothing,
  }),
});

test('hears what the store tells, in one with what is published', async () => {
  const store = createWakes();
  const queue = createStoreQueue({ store });
  const heard = createHeard();
  const leave = queue.subscribe(heard.listener);
  store.tell(['written', 'other']);
  store.tell(undefined);
  await queue.publish('written');
  await queue.publish('last', { priority: -1 });
  await heard.until((runIds) => runIds.includes('last'));
  assert.deepEqual(heard.runIds, ['written', 'other', 'last']);
  leave();
  assert.equal(store.listeners.size, 0);
  await queue.close();
});

test('leaves out what is too much, and says so once', async () => {
  const problems: QueueProblem[] = [];
  const queue = createStoreQueue({
    store: createWakes(),
    capacity: 3,
    onProblem: (problem) => problems.push(problem),
  });
  const heard = createHeard();
  await queue.publish('later', { delay: 3_600_000 });
  for (const id of ['a', 'b', 'c', 'd', 'a']) await queue.publish(id);
  await queue.publish('later too', { delay: 3_600_000 });
  queue.subscribe(heard.listener);
  await heard.until((runIds) => runIds.length === 2);
  assert.deepEqual(heard.runIds, ['a', 'b']);
  assert.deepEqual(
    problems.map(({ what }) => what),
    ['publish'],
  );
  await queue.close();
});
