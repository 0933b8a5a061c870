import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';
import { freePort } from '@forge/store/testing';
import { startRedisKeeper } from './redis-keeper.ts';

/** A real server that lives at most as long as this process, however that ends. It keeps nothing. */
export interface TestRedis {
  readonly url: string;
  /** Kills it and starts it on the same port, empty. */
  restart(): Promise<void>;
  /** The two halves of `restart`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** It answers nothing until `thaw`, and its connections stay open. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Empties it. */
  flush(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

export interface StartRedisOptions {
  /** More settings, such as `{ maxmemory: '10mb' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts Redis in a folder of its own, on a free port of the loopback interface and behind a
 * password.
 *
 * @example
 * const redis = await startRedis();
 * const queue = await openQueue(redis.url, { store });
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<TestRedis> {
  assertInstalled();
  const dir = mkdtempSync(join(tmpdir(), 'forge-redis-'));
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const settings = { bind: '127.0.0.1', save: '""', appendonly: 'no', ...options.settings };
  const keeper = startRedisKeeper({ dir, port, password, settings });
  await keeper.order('up');
  return {
    url: `redis://:${password}@127.0.0.1:${port}/0`,
    async restart() {
      await keeper.order('down');
      await keeper.order('up');
    },
    down: () => keeper.order('down'),
    up: () => keeper.order('up'),
    freeze: () => keeper.order('freeze'),
    thaw: () => keeper.order('thaw'),
    flush: () => keeper.order('flush'),
    stop: () => keeper.end(),
  };
}

function assertInstalled(): void {
  for (const program of ['redis-server', 'redis-cli']) {
    const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
    if (error === undefined) continue;
    throw new ForgeError(
      'not_found',
      `There is no ${program}. Run "sh scripts/provision.sh", or install it by hand (Debian: redis-server).`,
      { cause: error },
    );
  }
}
