import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { ForgeError } from '@forge/core';

export interface CallbackServer {
  readonly redirectUrl: string;
  /** The parameters a login comes back with, once they carry the right state. */
  answer(signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

/**
 * Waits on loopback for a browser to come back from a login. Whatever does not carry the state of
 * this login is turned away, and the wait goes on.
 */
export async function startCallbackServer({
  port,
  state,
}: {
  readonly port: number;
  readonly state: string;
}): Promise<CallbackServer> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname !== '/callback' || url.searchParams.get('state') !== state) {
      return say(response, 404, 'This address belongs to no login.');
    }
    resolve(url.searchParams);
    const isDenied = url.searchParams.has('error');
    say(
      response,
      200,
      isDenied ? 'You were not logged in.' : 'You are logged in. You can close this page.',
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new ForgeError('not_running', 'The login page could not be opened on loopback.');
  }
  return {
    redirectUrl: `http://127.0.0.1:${address.port}/callback`,
    async answer(signal) {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([promise, aborted]);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`${text}\n`);
}
