import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Queue as BullQueue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { startRedis } from '../testing/start-redis.ts';
import { createHeard } from './heard.ts';
import type { QueueProblem } from './queue.ts';
import { testQueue } from './queue-conformance.ts';
import { createRedisQueue } from './redis-queue.ts';

testQueue({
  name: 'BullMQ on Redis',
  dangers: ['away', 'emptied'],
  async start() {
    const redis = await startRedis();
    return {
      open: (name, options) =>
        createRedisQueue({ ...options, url: redis.url, prefix: `{${name}}` }),
      down: redis.down,
      up: redis.up,
      empty: redis.flush,
      stop: redis.stop,
    };
  },
});

test('gives up on a server that hangs, and goes on when it wakes', {
  timeout: 600_000,
}, async () => {
  const redis = await startRedis();
  const problems: QueueProblem[] = [];
  const queue = await createRedisQueue({
    url: redis.url,
    commandTimeout: 2_000,
    onProblem: (problem) => problems.push(problem),
  });
  try {
    const heard = createHeard();
    queue.subscribe(heard.listener);
    await queue.publish('before');
    await heard.until((runIds) => runIds.length === 1);
    await redis.freeze();
    await queue.publish('hung');
    assert.deepEqual(
      problems.map(({ what }) => what),
      ['publish'],
    );
    await redis.thaw();
    await queue.publish('after');
    await heard.until((runIds) => runIds.includes('after'));
  } finally {
    await queue.close();
    await redis.stop();
  }
});

test('gives a wake-up to others when its worker died with it, and leaves nothing behind', {
  timeout: 600_000,
}, async () => {
  const redis = await startRedis();
  const connection = { url: redis.url };
  const queue = await createRedisQueue({ url: redis.url, deadAfter: 1_000 });
  const settings = { connection, prefix: '{forge}', lockDuration: 1_000, skipVersionCheck: true };
  const dead = new Worker('wake-ups', null, settings);
  const client = new Redis(redis.url);
  try {
    await queue.publish('run');
    const taken = await dead.getNextJob('dead');
    assert.equal(taken?.data.runId, 'run');
    await queue.publish('run');
    const heard = createHeard();
    queue.subscribe(heard.listener);
    // The one that died with its worker, and the one that was published meanwhile.
    await heard.until((runIds) => runIds.length === 2);
    assert.deepEqual(heard.runIds, ['run', 'run']);
    await queue.close();
    const ofQueue = /:(events|id|marker|meta|pc|stalled-check)$/;
    assert.deepEqual(
      (await client.keys('*')).filter((key) => !ofQueue.test(key)),
      [],
    );
  } finally {
    await dead.close();
    client.disconnect();
    await queue.close();
    await redis.stop();
  }
});

test('tells of a job that is no wake-up, removes it and goes on', {
  timeout: 600_000,
}, async () => {
  const redis = await startRedis();
  const problems: QueueProblem[] = [];
  const queue = await createRedisQueue({
    url: redis.url,
    onProblem: (problem) => problems.push(problem),
  });
  const strange = new BullQueue('wake-ups', { connection: { url: redis.url }, prefix: '{forge}' });
  try {
    await strange.add('wake', { run: 7 }, { removeOnFail: true });
    const heard = createHeard();
    queue.subscribe(heard.listener);
    await queue.publish('run');
    await heard.until((runIds) => runIds.length === 1);
    await queue.close();
    assert.deepEqual(
      problems.map(({ what }) => what),
      ['connection'],
    );
    assert.deepEqual(await strange.getJobCounts('failed', 'waiting'), { failed: 0, waiting: 0 });
  } finally {
    await strange.close();
    await queue.close();
    await redis.stop();
  }
});
