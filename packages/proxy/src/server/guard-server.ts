import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { answerClientErrors } from './client-errors.ts';
import { isInFlight, trackLastResponse } from './last-response.ts';
import { sendError } from './send-error.ts';
import type { Limits } from './server-options.ts';

/**
 * What a server needs against clients that are broken, slow or greedy, besides the options it is
 * made with. To be called before it listens.
 */
export function guardServer(server: Server, { bodyBytes, writeTimeout }: Limits): void {
  const lastResponse = trackLastResponse(server);
  answerClientErrors(server, lastResponse);

  // A client that asks first is not asked for a body that would be refused.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length'] ?? 0) > bodyBytes) {
      response.shouldKeepAlive = false;
    } else response.writeContinue();
    server.emit('request', request, response);
  });

  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const message =
      'This proxy meets no expectation but 100-continue. Leave the Expect header out.';
    sendError(response, { error: { kind: 'bad_request', status: 417, message } });
  });

  // Silence is the backend's right, and a first request has timeouts of its own: only who leaves
  // unread what was sent, or asks nothing more, goes.
  server.setTimeout(writeTimeout, (socket) => {
    const response = lastResponse(socket);
    const isIdle = response !== undefined && !isInFlight(response);
    if (socket.writableLength > 0 || isIdle) socket.destroy();
  });
}
