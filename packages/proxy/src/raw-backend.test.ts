import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A server that answers with exactly these bytes, for tests of what leaves the proxy. */
export async function startRawBackend(
  answer: (
    exchange: { readonly body: string; readonly request: IncomingMessage },
    response: ServerResponse,
  ) => unknown,
) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    await answer({ body, request }, response);
  });
  server.keepAliveTimeout = 0; // It lets no connection go by itself, however slow the machine is.
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Server-sent events of these texts. */
export function sse(...data: string[]): string {
  return data.map((each) => `data: ${each}\n\n`).join('');
}
