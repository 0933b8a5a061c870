import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { sendJson, startTestServer } from '../client/test-server.test.ts';
import { encodeNdjson, encodeSse } from '../framing/index.ts';
import { eventsOfReply } from '../wire/events-of-reply.ts';
import type { StreamEvent, Wire, WireReply, WireRequest } from '../wire/wire.ts';
import type { WireError } from '../wire/wire-error.ts';

/** What a scripted backend does with a request: a whole reply, streamed if asked, or an error. */
export type Scene = (
  request: WireRequest,
  response: ServerResponse,
) => WireReply | { readonly error: WireError } | undefined;

/** A backend that speaks a wire by our own encoders. `undefined` leaves the response to the scene. */
export async function serveWire(t: TestContext, wire: Wire, scene: Scene) {
  const requests: WireRequest[] = [];
  const server = await startTestServer(t, (response, request, body) => {
    if (request.method === 'GET') return sendJson(response, {}, 404);
    const stream = /stream/i.test(request.url ?? '') ? { stream: true } : {};
    const decoded = wire.decodeRequest(body, { model: 'm', ...stream });
    requests.push(decoded);
    const said = scene(decoded, response);
    if (said === undefined) return;
    if ('error' in said) {
      const { status, body: told } = wire.encodeError(said.error);
      sendJson(response, told, status);
    } else if (decoded.stream) {
      writeEvents(wire, response, [...eventsOfReply(said)]);
      response.end();
    } else {
      sendJson(response, wire.encodeReply(said));
    }
  });
  return { ...server, decoded: requests };
}

export function writeEvents(wire: Wire, response: ServerResponse, events: readonly StreamEvent[]) {
  const type = wire.framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson';
  const write = wire.framing === 'sse' ? encodeSse : encodeNdjson;
  if (!response.headersSent) response.writeHead(200, { 'content-type': type });
  const encoder = wire.createStreamEncoder();
  for (const event of events) {
    for (const frame of encoder.push(event)) response.write(write(frame));
  }
}
