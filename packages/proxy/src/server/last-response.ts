import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The response to the last request a connection brought, whether or not it is over. */
export type LastResponse = (socket: Duplex) => ServerResponse | undefined;

/** Watches a server from now on. Keeps one entry per connection, for as long as there is one. */
export function trackLastResponse(server: Server): LastResponse {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => {
    responses.set(request.socket, response);
  });
  return (socket) => responses.get(socket);
}

/** Whether someone still waits for it. */
export function isInFlight(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}
