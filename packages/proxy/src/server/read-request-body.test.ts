import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { readRequestBody } from './read-request-body.ts';

const limit = 1_000;

/** Sends a body through a real server and says what became of it. */
async function readThrough(
  body: Uint8Array | readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const server = createServer((request, response) => {
    readRequestBody(request, {
      limit,
      onBody: (bytes) => response.end(`body ${bytes}`),
      onFault: ({ status, kind }) => response.end(`fault ${status} ${kind}`),
      onLeave: () => response.end('left'),
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const request = send({ port, host: '127.0.0.1', method: 'POST', headers });
    request.on('error', () => {});
    if (body instanceof Uint8Array) request.end(body);
    else {
      for (const piece of body) request.write(piece);
      request.end();
    }
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return (await response.setEncoding('utf8').toArray()).join('');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const text = Buffer.from('{"a":"é"}');

const encodings: Record<string, { encoding: string; body: Uint8Array }> = {
  plain: { encoding: 'identity', body: text },
  gzip: { encoding: 'gzip', body: gzipSync(text) },
  'gzip by its old name': { encoding: 'X-GZIP', body: gzipSync(text) },
  deflate: { encoding: 'deflate', body: deflateSync(text) },
  'bare deflate': { encoding: 'deflate', body: deflateRawSync(text) },
  br: { encoding: 'br', body: brotliCompressSync(text) },
  zstd: { encoding: 'zstd', body: zstdCompressSync(text) },
};
for (const [name, { encoding, body }] of Object.entries(encodings)) {
  test(`reads a body in ${name}`, async () => {
    assert.equal(await readThrough(body, { 'content-encoding': encoding }), `body ${text}`);
  });
}

test('reads a body in pieces, an empty one, and one of exactly the limit', async () => {
  const pieces = Array.from({ length: 10 }, () => Buffer.alloc(100, 'x'));
  assert.equal(await readThrough(pieces), `body ${'x'.repeat(1_000)}`);
  assert.equal(await readThrough(Buffer.alloc(0)), 'body ');
  assert.equal(await readThrough(Buffer.alloc(0), { 'content-encoding': 'gzip' }), 'body ');
});

test('refuses what is too large: as promised, as it comes, and as it inflates', async () => {
  const large = Buffer.alloc(limit + 1, 'x');
  assert.equal(await readThrough(large), 'fault 413 bad_request');
  assert.equal(await readThrough([large.subarray(500), large]), 'fault 413 bad_request');
  const bomb = gzipSync(Buffer.alloc(600_000));
  assert.ok(bomb.length < limit);
  assert.equal(await readThrough(bomb, { 'content-encoding': 'gzip' }), 'fault 413 bad_request');
});

test('refuses encodings nobody knows, and bodies that are not in theirs', async () => {
  for (const encoding of ['compress', 'gzip, br', 'aes128gcm']) {
    const said = await readThrough(text, { 'content-encoding': encoding });
    assert.equal(said, 'fault 415 bad_request', encoding);
  }
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
    const said = await readThrough(Buffer.from('x'), { 'content-encoding': encoding });
    assert.equal(said, 'fault 400 bad_request', encoding);
  }
  const cut = gzipSync(text).subarray(0, 20);
  assert.equal(await readThrough(cut, { 'content-encoding': 'gzip' }), 'fault 400 bad_request');
});

/** A request as far as it is read here. */
function fakeRequest(): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers: {} }) as unknown as PassThrough &
    IncomingMessage;
}

test('gives a body of one piece as it came, without a copy', async () => {
  const request = fakeRequest();
  const chunk = Buffer.from('whole');
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  readRequestBody(request, {
    limit,
    onBody: resolve,
    onFault: () => assert.fail(),
    onLeave: () => assert.fail(),
  });
  request.end(chunk);
  assert.equal((await promise).buffer, chunk.buffer);
});

test('says once that the client has left, and survives the error of it', async () => {
  const request = fakeRequest();
  let left = 0;
  readRequestBody(request, {
    limit,
    onBody: () => assert.fail(),
    onFault: () => assert.fail(),
    onLeave: () => left++,
  });
  request.write('half');
  request.destroy(new Error('aborted'));
  await new Promise((resolve) => request.once('close', resolve));
  assert.equal(left, 1);
});
