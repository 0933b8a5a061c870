import { once } from 'node:events';
import { createServer } from 'node:net';
import { ForgeError } from '@forge/core';

/** A port nobody listens on: the one that is wanted, or any. */
export async function freePort({
  host,
  port = 0,
}: {
  readonly host: string;
  readonly port?: number;
}): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  } catch (cause) {
    throw new ForgeError(
      'invalid_options',
      `Port ${port} on ${host} is in use or not allowed. Stop what uses it, or leave out "port" and a free one is taken.`,
      { cause },
    );
  } finally {
    server.close();
  }
}
