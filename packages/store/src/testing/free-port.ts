import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ForgeError } from '@forge/core';

/** Below those the system itself gives away: nobody who asks for any port is given one of them. */
const lowest = 20_000;
const highest = 32_000;
const tries = 100;

/**
 * A port of the loopback interface that nobody has. It stays free while its server is not up yet, or
 * is down for a moment, even if others start servers all the time.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < tries; tried += 1) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new ForgeError('store_failed', 'The loopback interface gave no free port.');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ host: '127.0.0.1', port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
  return true;
}
