import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { encodeNdjson, encodeSse } from '../../framing/index.ts';
import type { StreamEvent, Wire, WireReply, WireRequest } from '../wire.ts';
import type { WireError } from '../wire-error.ts';

export type Answer =
  | { readonly reply: WireReply }
  | { readonly events: readonly StreamEvent[] }
  | { readonly error: WireError };

/** A server on loopback that speaks one wire with our encoders and remembers what it was asked. */
export async function startWireServer(
  wire: Wire,
  hintsOf: (path: string) => { model?: string; stream?: boolean },
) {
  const heard: WireRequest[] = [];
  let answer: Answer = { error: { kind: 'unavailable', message: 'nothing to say yet' } };
  const encodeFrame = wire.framing === 'sse' ? encodeSse : encodeNdjson;
  const server = createServer(async (incoming, response) => {
    const body: unknown = JSON.parse(await readText(incoming));
    heard.push(wire.decodeRequest(body, hintsOf(incoming.url ?? '')));
    if ('error' in answer) {
      const { status, body: told } = wire.encodeError(answer.error);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(told));
      return;
    }
    if ('reply' in answer) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire.encodeReply(answer.reply)));
      return;
    }
    const type = wire.framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson';
    response.writeHead(200, { 'content-type': type });
    const encoder = wire.createStreamEncoder();
    for (const event of answer.events) {
      for (const frame of encoder.push(event)) response.write(encodeFrame(frame));
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    heard,
    willAnswer(next: Answer) {
      answer = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
