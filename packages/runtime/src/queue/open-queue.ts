import { ForgeError } from '@forge/core';
import type { Store } from '@forge/store';
import { createPgBossQueue } from './pg-boss-queue.ts';
import type { Queue, QueueOptions } from './queue.ts';
import { createRedisQueue } from './redis-queue.ts';
import { createStoreQueue } from './store-queue.ts';

/**
 * The queue an address names: `redis://…` or `rediss://…` by BullMQ, `postgres://…` by pg-boss,
 * and without one what the store itself tells. It comes back at once, whether its server answers
 * or not.
 *
 * @example
 * const queue = await openQueue('redis://localhost:6379', { store });
 * const worker = createWorker({ store, queue, agents, model });
 */
export async function openQueue(
  url: string | undefined,
  { store, ...options }: QueueOptions & { readonly store: Pick<Store, 'onWake'> },
): Promise<Queue> {
  if (url === undefined || url === '') return createStoreQueue({ ...options, store });
  switch (URL.parse(url)?.protocol) {
    case 'redis:':
    case 'rediss:':
      return createRedisQueue({ ...options, url });
    case 'postgres:':
    case 'postgresql:':
      return createPgBossQueue({ ...options, url });
    default:
      // The address is not repeated: it may hold a password.
      throw new ForgeError(
        'invalid_options',
        'The address of the queue must begin with redis://, rediss:// or postgres://. Leave it out to use the store alone.',
      );
  }
}
