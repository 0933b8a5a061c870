import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from './start-redis.ts';

test('is a server that can be emptied, frozen, killed and started again', async () => {
  const redis = await startRedis();
  const client = new Redis(redis.url, { retryStrategy: () => 20 }).on('error', () => {});
  try {
    await client.set('kept', '1');
    await redis.flush();
    assert.equal(await client.get('kept'), null);

    await client.set('kept', '2');
    await redis.freeze();
    const asked = client.get('kept');
    await redis.thaw();
    assert.equal(await asked, '2');

    await redis.restart();
    assert.equal(await client.get('kept'), null);
    assert.equal(
      await client.config('GET', 'save').then((setting) => JSON.stringify(setting)),
      '["save",""]',
    );
  } finally {
    client.disconnect();
    await redis.stop();
  }
});

/** Starts a server, prints its folder, and never ends by itself. */
const owner = `
  const { startRedis } = await import(process.argv[1]);
  const { Redis } = await import('ioredis');
  const { url } = await startRedis();
  const client = new Redis(url);
  console.log((await client.config('GET', 'dir'))[1]);
  setInterval(() => {}, 1000);
`;

test('does not outlive a process that is killed', { timeout: 600_000 }, async () => {
  const module = new URL('./start-redis.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', owner, module], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [dir]: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  assert.ok(typeof dir === 'string' && existsSync(dir));
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  while (existsSync(dir)) await pause(20);
});
