import { ForgeError } from '@forge/core';
import type { Job, Worker } from 'bullmq';
import type { Redis, RedisOptions } from 'ioredis';
import { loadPackage } from './load-package.ts';
import { createOutbox } from './outbox.ts';
import type { Queue, QueueOptions } from './queue.ts';
import { openRedisConnection, type RedisConnection } from './redis-connection.ts';
import { reportProblems } from './report-problems.ts';
import { createSubscribers } from './subscribers.ts';
import { toWakeUp, type WakeUp, wakePayload } from './wake-up.ts';
import { within } from './within.ts';

export interface RedisQueueOptions extends QueueOptions {
  /** `redis://` or `rediss://`, with user, password and database as needed. */
  readonly url: string;
  /** Begins every key. The braces keep all keys in one slot of a cluster. Default `{forge}`. */
  readonly prefix?: string;
  /** Milliseconds a wake-up waits for a server that is away before it is given up. Default 2,000. */
  readonly patience?: number;
  /** Milliseconds after which a server that says nothing counts as away. Default 5,000. */
  readonly commandTimeout?: number;
  /** Milliseconds after which a wake-up in the hands of a dead worker goes to others. Default 10,000. */
  readonly deadAfter?: number;
  readonly now?: () => number;
}

const queueName = 'wake-ups';
/** BullMQ takes the lowest number first, from 1 on; 0 would go before all others. */
const middlePriority = 1_048_576;

/**
 * Wake-ups through Redis, by BullMQ. Opening it waits for no server: it connects by itself and goes
 * on by itself after the server was away or was emptied. What was lost with it is in the store.
 */
export async function createRedisQueue(options: RedisQueueOptions): Promise<Queue> {
  const {
    url,
    prefix = '{forge}',
    patience = 2_000,
    commandTimeout = 5_000,
    deadAfter = 10_000,
    now = Date.now,
  } = options;
  const [bullmq, ioredis] = await loadPackage(
    () => Promise.all([import('bullmq'), import('ioredis')]),
    { purpose: 'A queue on Redis', install: 'bullmq ioredis' },
  );
  const problems = reportProblems(options);
  const subscribers = createSubscribers((error) => problems.tell('listener', error));
  const tell = (error: unknown) => problems.tell('connection', error);
  const connect = (settings: RedisOptions) =>
    openRedisConnection({
      url,
      RedisClient: ioredis.Redis,
      settings,
      onError: tell,
      onReady: problems.over,
    });
  // Without an offline queue nothing piles up while the server is away; with a timeout a server
  // that hangs counts as away.
  const sender = connect({
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout,
  });
  const whenReady = watchReadiness(sender.client);
  const shared = {
    prefix,
    // The check prints warnings; without it a delay may take a second more.
    skipVersionCheck: true,
  };
  const jobs = new bullmq.Queue(queueName, {
    ...shared,
    connection: sender.client,
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  jobs.on('error', tell);

  const add = ({ runId, priority, delay, key }: WakeUp) =>
    jobs.add(
      'wake',
      { runId },
      {
        priority: middlePriority - priority,
        delay,
        // Not by the job's id: that would swallow a wake-up that comes while the one before it is
        // being heard. This keeps it until then.
        deduplication: { id: encodeURIComponent(key), keepLastIfActive: true },
      },
    );

  const outbox = createOutbox({
    problems,
    async send(batch) {
      await within(patience, whenReady(), 'Redis');
      await Promise.all(batch.map(add));
      problems.over();
    },
  });

  /** Runs while somebody listens. */
  let hearing: { readonly worker: Worker; readonly connection: RedisConnection } | undefined;
  const endings = new Set<Promise<void>>();

  const hear = async ({ data }: Job<unknown>) => {
    // What is no wake-up fails, is told and is removed.
    const { runId } = wakePayload.parse(data);
    // Taken while the last subscriber left: back to the others.
    if (!subscribers.tell(runId)) await add(toWakeUp(runId, {}, now()));
  };

  const startHearing = () => {
    const connection = connect({ maxRetriesPerRequest: null });
    const worker = new bullmq.Worker<unknown>(queueName, hear, {
      ...shared,
      connection: connection.client,
      concurrency: 20,
      runRetryDelay: 500,
      lockDuration: deadAfter,
      // Hearing takes no time; and its timer would outlive a close without a server.
      skipLockRenewal: true,
      stalledInterval: deadAfter,
    });
    worker.on('error', tell).on('failed', (_job, error) => tell(error));
    return { worker, connection };
  };

  const stopHearing = () => {
    if (hearing === undefined) return;
    const { worker, connection } = hearing;
    hearing = undefined;
    // What was taken is finished, unless the server is away.
    const finished = connection.retire().then(() => worker.close());
    const ending = within(patience, finished, 'Redis').catch(tell).finally(connection.end);
    endings.add(ending);
    void ending.then(() => endings.delete(ending));
  };

  let closing: Promise<void> | undefined;
  const close = async () => {
    subscribers.clear();
    await outbox.close();
    stopHearing();
    await Promise.all(endings);
    await jobs.close();
    sender.end();
  };

  return {
    publish: (runId, publishing = {}) => outbox.put(toWakeUp(runId, publishing, now())),
    subscribe(listener) {
      if (closing !== undefined) {
        throw new ForgeError('not_allowed', 'The queue is closed. Open another one.');
      }
      const remove = subscribers.add(listener);
      hearing ??= startHearing();
      return () => {
        remove();
        if (subscribers.size === 0) stopHearing();
      };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Waits through failed attempts, which `once` of Node would take for the end. */
function watchReadiness(client: Redis): () => Promise<void> {
  let next: Promise<void> | undefined;
  return async () => {
    if (client.status === 'ready') return;
    next ??= new Promise((resolve) => client.once('ready', () => resolve()));
    await next;
    next = undefined;
  };
}
