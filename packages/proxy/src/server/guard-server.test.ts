import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { LimitOptions } from '../options.ts';
import { guardServer } from './guard-server.ts';
import { readRequestBody } from './read-request-body.ts';
import { sendError } from './send-error.ts';
import { serverOptions, withDefaultLimits } from './server-options.ts';

/** Answers each request with its path, once its body is there. */
const echo: RequestListener = (request, response) => {
  readRequestBody(request, {
    limit: 1_000,
    onBody: () => response.end(`<${request.url}>`),
    onFault: (error) => sendError(response, { error }),
    onLeave: () => {},
  });
};

async function listen(
  context: TestContext,
  { limits = {}, listener = echo }: { limits?: LimitOptions; listener?: RequestListener } = {},
): Promise<() => Socket> {
  const all = withDefaultLimits({ bodyBytes: 1_000, ...limits });
  const server = createServer(serverOptions(all), listener);
  guardServer(server, all);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return () => connect(port, '127.0.0.1');
}

/** What comes back for these bytes until the server closes the connection. */
async function converse(socket: Socket, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  for (const piece of pieces) socket.write(piece);
  let heard = '';
  socket.setEncoding('latin1').on('data', (text) => {
    heard += text;
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  return heard;
}

const head = 'HTTP/1.1\r\nhost: x\r\n';

const refused: Record<string, { bytes: string; status: number; limits?: LimitOptions }> = {
  'what is not HTTP': { bytes: 'hello\r\n\r\n', status: 400 },
  'two lengths': {
    bytes: `POST / ${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
    status: 400,
  },
  'a length and chunks': {
    bytes: `POST / ${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    status: 400,
  },
  'a length that is no number': { bytes: `POST / ${head}content-length: x\r\n\r\n`, status: 400 },
  'a header in two lines': { bytes: `GET / ${head}a: b\r\n c\r\n\r\n`, status: 400 },
  'a broken chunk': {
    bytes: `POST / ${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    status: 400,
  },
  'a head of 70 KB': { bytes: `GET / ${head}a: ${'b'.repeat(70_000)}\r\n\r\n`, status: 431 },
  'a head of 2 MB': { bytes: `GET / ${head}a: ${'b'.repeat(2_000_000)}\r\n\r\n`, status: 431 },
  'a head that never ends': {
    bytes: `GET / ${head}a: b`,
    status: 408,
    limits: { headersTimeout: 100, bodyTimeout: 100 },
  },
  'a body that never ends': {
    bytes: `POST / ${head}content-length: 10\r\n\r\nabc`,
    status: 408,
    limits: { headersTimeout: 100, bodyTimeout: 100 },
  },
};

for (const [name, { bytes, status, limits = {} }] of Object.entries(refused)) {
  test(`${name}: ${status} in JSON, and the connection is closed`, async (context) => {
    const open = await listen(context, { limits });
    const heard = await converse(open(), bytes);
    assert.match(heard, new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    assert.match(heard, /\r\nconnection: close\r\n/i);
    const body: unknown = JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4));
    assert.ok(typeof body === 'object' && body !== null && 'error' in body);
  });
}

test('nonsense after a good request: the good one is answered first, and nothing else', async (context) => {
  const later: RequestListener = (request, response) => {
    setImmediate(() => response.end(`<${request.url}>`));
  };
  const open = await listen(context, { listener: later });
  const heard = await converse(open(), `GET /good ${head}\r\nnonsense nonsense\r\n\r\n`);
  assert.match(heard, /^HTTP\/1\.1 200 OK/);
  assert.match(heard, /<\/good>/);
  assert.ok(!heard.includes('400'));
});

test('requests in one go are answered in their order', async (context) => {
  const open = await listen(context);
  const two = `GET /one ${head}\r\nGET /two ${head}connection: close\r\n\r\n`;
  assert.match(await converse(open(), two), /<\/one>[\s\S]*<\/two>/);
});

test('an answer that has begun is not written into', async (context) => {
  const eager: RequestListener = (_request, response) => {
    response.writeHead(200, ['content-length', '50']);
    response.write('begun');
  };
  const open = await listen(context, { listener: eager });
  const socket = open();
  socket.write(`POST / ${head}transfer-encoding: chunked\r\n\r\n`);
  await once(socket, 'data');
  assert.equal(await converse(socket, 'zz\r\n'), '');
});

test('a client that asks first is told to go on, or the refusal', async (context) => {
  const open = await listen(context);
  const ask = (length: number) =>
    `POST /asked ${head}connection: close\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;
  const socket = open();
  socket.write(ask(3));
  const [first] = await once(socket, 'data');
  assert.match(String(first), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  assert.match(await converse(socket, 'abc'), /^HTTP\/1\.1 200 OK[\s\S]*<\/asked>$/);
  assert.match(
    await converse(open(), ask(2_000)),
    /^HTTP\/1\.1 413 [\s\S]*\r\nconnection: close\r\n/i,
  );
});

test('who leaves unread what was sent is let go', async (context) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const much: RequestListener = (_request, response) => {
    response.on('close', resolve);
    response.end(Buffer.alloc(64 * 1024 * 1024));
  };
  const open = await listen(context, { limits: { writeTimeout: 100 }, listener: much });
  const socket = open();
  socket.on('error', () => {});
  socket.write(`GET / ${head}\r\n`);
  await once(socket, 'readable');
  await closed;
  socket.destroy();
});

test('who only waits for a slow answer is not', async (context) => {
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  const slow: RequestListener = (request, response) => {
    request.socket.once('timeout', () => {
      response.end('at last');
      resolve();
    });
  };
  const open = await listen(context, { limits: { writeTimeout: 100 }, listener: slow });
  const socket = open();
  socket.write(`GET / ${head}connection: close\r\n\r\n`);
  assert.match(await converse(socket), /at last$/);
  await idle;
});

test('limits that are not set are the usual ones', () => {
  const limits = withDefaultLimits({ queue: 0, bodyBytes: undefined } as unknown as LimitOptions);
  assert.equal(limits.queue, 0);
  assert.equal(limits.bodyBytes, 64 * 1024 * 1024);
});
