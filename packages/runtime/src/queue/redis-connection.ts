import { once } from 'node:events';
import type { Redis, RedisOptions } from 'ioredis';

export interface RedisConnection {
  readonly client: Redis;
  /**
   * Tries no more: what is up stays up until it is lost or ended, what is not ends now, and so does
   * all that waits for it. Resolves when each is one or the other.
   */
  retire(): Promise<void>;
  /** Ends it at once. */
  end(): void;
}

/**
 * Opens a connection that comes back by itself, for BullMQ, which copies the one of a worker. Once
 * it is retired, the copies end with it: BullMQ waits for ever for one that is between two attempts.
 */
export function openRedisConnection(options: {
  readonly url: string;
  readonly RedisClient: new (url: string, options: RedisOptions) => Redis;
  readonly settings: RedisOptions;
  readonly onError: (error: unknown) => void;
  readonly onReady: () => void;
}): RedisConnection {
  const { url, RedisClient, settings, onError, onReady } = options;
  let isRetired = false;
  const all: Redis[] = [];
  const keep = (client: Redis) => {
    all.push(client);
    // Without a listener for errors ioredis prints them.
    return client.on('error', onError).on('ready', onReady);
  };

  class CopiedClient extends RedisClient {
    override duplicate(override?: Partial<RedisOptions>): Redis {
      return keep(super.duplicate(override));
    }
  }

  const retryStrategy = (times: number) => (isRetired ? null : Math.min(times * 100, 2_000));
  const client = keep(new CopiedClient(url, { ...settings, connectTimeout: 5_000, retryStrategy }));
  return {
    client,
    async retire() {
      isRetired = true;
      await Promise.all(all.map(settle));
    },
    end() {
      isRetired = true;
      for (const one of all) one.disconnect();
    },
  };
}

/** Waits until a client is up or at its end. */
async function settle(client: Redis): Promise<void> {
  if (client.status === 'ready' || client.status === 'end') return;
  // At once, instead of after its pause. Whether it succeeds shows in its status.
  if (client.status === 'reconnecting') await client.connect().catch(() => {});
  else await Promise.race([once(client, 'ready'), once(client, 'end')]).catch(() => {});
}
