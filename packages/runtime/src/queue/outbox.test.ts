import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutbox } from './outbox.ts';
import type { QueueProblem } from './queue.ts';
import { reportProblems } from './report-problems.ts';
import { toWakeUp, type WakeUp } from './wake-up.ts';

/** An outbox whose batches wait for us. */
function setUp(options: { readonly batchSize?: number; readonly capacity?: number } = {}) {
  const problems: QueueProblem[] = [];
  const batches: string[][] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const outbox = createOutbox({
    ...options,
    problems: reportProblems({ onProblem: (problem) => problems.push(problem) }),
    send(batch: readonly WakeUp[]) {
      batches.push(batch.map(({ runId, priority }) => `${runId} ${priority}`));
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const put = (runId: string, priority = 0) => outbox.put(toWakeUp(runId, { priority }, 0));
  return { outbox, put, batches, answers, problems };
}

test('sends at once, and gathers what comes meanwhile, one for each run', async () => {
  const { put, batches, answers, problems } = setUp({ batchSize: 2 });
  const first = put('a');
  await Promise.resolve();
  const rest = [put('b'), put('a'), put('b', 3), put('b', 1), put('c')];
  answers[0]?.resolve();
  await first;
  await new Promise(setImmediate);
  answers[1]?.resolve();
  await new Promise(setImmediate);
  answers[2]?.resolve();
  await Promise.all(rest);
  assert.deepEqual(batches, [['a 0'], ['b 3', 'a 0'], ['c 0']]);
  assert.deepEqual(problems, []);
});

test('gives up all that waits when a batch fails, and goes on with the next', async () => {
  const { outbox, put, batches, answers, problems } = setUp({ batchSize: 1 });
  const lost = [put('a'), put('b'), put('c')];
  await Promise.resolve();
  answers[0]?.reject(new Error('away'));
  await Promise.all(lost);
  const sent = put('d');
  await Promise.resolve();
  answers[1]?.resolve();
  await sent;
  assert.deepEqual(batches, [['a 0'], ['d 0']]);
  assert.deepEqual(
    problems.map(({ what }) => what),
    ['publish'],
  );
  await outbox.close();
});

test('holds so many and no more, and tells it once', async () => {
  const { outbox, put, batches, answers, problems } = setUp({ capacity: 2 });
  const first = put('a');
  await Promise.resolve();
  const waiting = [put('b'), put('c')];
  await Promise.all([put('d'), put('e')]);
  assert.deepEqual(
    problems.map(({ what }) => what),
    ['publish'],
  );
  answers[0]?.resolve();
  await first;
  await new Promise(setImmediate);
  const closed = outbox.close();
  await put('f');
  answers[1]?.resolve();
  await Promise.all([closed, ...waiting]);
  assert.deepEqual(batches, [['a 0'], ['b 0', 'c 0']]);
  assert.equal(problems.length, 2);
});
