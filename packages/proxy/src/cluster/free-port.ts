import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port nobody listens on. Workers need to agree on one, also those that are started later. */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  server.listen({ host, port: 0, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no address was given');
  return address.port;
}
