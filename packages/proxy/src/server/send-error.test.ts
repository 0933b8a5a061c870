import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createNdjsonDecoder, createSseDecoder, type WireError, wires } from '@forge/models';
import { sendError } from './send-error.ts';

async function answered(answer: (response: ServerResponse) => void): Promise<Response> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    const body = await response.arrayBuffer();
    return new Response(body, { status: response.status, headers: response.headers });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const busy: WireError = { kind: 'overloaded', message: 'Too many.', retryAfter: 2_500 };

for (const wire of Object.values(wires)) {
  test(`${wire.name}: its own client reads the error back`, async () => {
    const response = await answered((to) => {
      sendError(to, { wire, error: busy, headers: ['x-forge-reason', 'queue'] });
    });
    const headers = Object.fromEntries(response.headers);
    assert.equal(headers['retry-after'], '3');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['x-forge-reason'], 'queue');
    const body = await response.text();
    assert.equal(headers['content-length'], String(Buffer.byteLength(body)));
    const read = wire.decodeError({ status: response.status, headers, body });
    assert.equal(read.kind, 'overloaded');
    assert.ok(read.message.includes('Too many.'));
  });

  test(`${wire.name}: in a stream it is the last event`, async () => {
    const encoder = wire.createStreamEncoder();
    const response = await answered((to) => {
      to.writeHead(200);
      for (const event of [
        { type: 'start', extra: {} } as const,
        { type: 'text', text: 'half' } as const,
      ]) {
        for (const { event: name, data } of encoder.push(event)) {
          to.write(
            wire.framing === 'sse' ? `event: ${name ?? ''}\ndata: ${data}\n\n` : `${data}\n`,
          );
        }
      }
      sendError(to, { wire, error: { kind: 'timeout', message: 'Too slow.' }, encoder });
    });
    const framing = wire.framing === 'sse' ? createSseDecoder() : createNdjsonDecoder();
    const frames = [
      ...framing.push(new Uint8Array(await response.arrayBuffer())),
      ...framing.end(),
    ];
    const decoder = wire.createStreamDecoder();
    const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
    const last = events.at(-1);
    assert.equal(last?.type, 'error');
    assert.ok(last?.type === 'error' && last.error.message.includes('Too slow.'));
  });

  for (const status of [413, 415, 431, 403]) {
    test(`${wire.name}: says ${status} exactly`, async () => {
      const kind = status === 403 ? 'auth' : 'bad_request';
      const response = await answered((to) => {
        assert.equal(sendError(to, { wire, error: { kind, status, message: 'No.' } }), status);
      });
      assert.equal(response.status, status);
    });
  }
}

test('without a wire it has the shape of OpenAI', async () => {
  const response = await answered((to) => {
    sendError(to, { error: { kind: 'not_found', message: 'Nothing here.' } });
  });
  assert.equal(response.status, 404);
  const body = await response.json();
  assert.equal(body.error.message, 'Nothing here.');
});

test('half a reply that is no stream is cut, not finished', async () => {
  const cut = answered((to) => {
    to.writeHead(200, ['content-length', '100']);
    to.write('half', () => sendError(to, { error: busy }));
  });
  await assert.rejects(cut);
});

test('a response that is over is left alone', async () => {
  const response = await answered((to) => {
    to.end('done');
    sendError(to, { error: busy });
  });
  assert.equal(await response.text(), 'done');
});
