import { once } from 'node:events';
import { createServer } from 'node:net';
import { ForgeError } from '@forge/core';

/** A port of the loopback interface that nobody had a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  const closed = once(server, 'close');
  server.close();
  await closed;
  if (typeof address === 'object' && address !== null) return address.port;
  throw new ForgeError('store_failed', 'The loopback interface gave no free port.');
}
