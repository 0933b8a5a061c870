import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { callsIn } from './answer.ts';
import { chat, chunk } from './chat.ts';
import { stall } from './odd-backend.ts';
import type { RawConnection } from './raw-connection.ts';
import { type Request, type Row, write } from './row.ts';

const body = JSON.stringify(chat());
const bytes = Buffer.from(body);
const good = write({ body });

function chunked(pieces: readonly string[], trailer = ''): Buffer {
  const chunks = pieces.map(
    (piece) => `${Buffer.byteLength(piece).toString(16)};x=y\r\n${piece}\r\n`,
  );
  const text = `${chunks.join('')}0\r\n${trailer}\r\n`;
  const head = write({ headers: { 'content-length': null, 'transfer-encoding': 'chunked' } });
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Sends these bytes as they are and waits for the answer. */
function says(text: string | Uint8Array) {
  return (connection: RawConnection) => {
    connection.send(text);
    return connection.response();
  };
}

function packed(encoding: string, packedBytes: Uint8Array): Request {
  return { body: packedBytes, headers: { 'content-encoding': encoding } };
}

const callsOnce: Row['check'] = ({ reply }) => assert.equal(callsIn(reply).length, 1);

/** How a request may come over the line. */
export const httpRows: Readonly<Record<string, Row>> = {
  'HTTP/1.0 without a host': {
    send: { body, version: '1.0', headers: { host: null } },
    status: 200,
    is: 'reply',
    check: callsOnce,
  },
  'HTTP/1.0 that closes after its answer': {
    send: async (connection) => {
      connection.send(write({ body: chat({ stream: true }), version: '1.0' }));
      const response = await connection.response();
      await connection.untilClosed();
      return response;
    },
    status: 200,
    is: 'reply',
    check: callsOnce,
  },
  'HTTP/1.0 with keep-alive': {
    send: { body, version: '1.0', headers: { connection: 'keep-alive' } },
    status: 200,
    is: 'reply',
  },
  'fifty requests in one go': {
    send: async (connection) => {
      connection.send(Buffer.concat(Array.from({ length: 50 }, () => good)));
      for (let at = 0; at < 49; at++) assert.equal((await connection.response()).status, 200);
      return connection.response();
    },
    status: 200,
    is: 'reply',
    check: callsOnce,
  },
  'nonsense after a good request': {
    send: says(Buffer.concat([good, Buffer.from('nonsense nonsense\r\n\r\n')])),
    status: 200,
    is: 'reply',
    check: callsOnce,
  },
  'a body in chunks': { send: says(chunked([body])), status: 200, is: 'reply', check: callsOnce },
  'a body in chunks of one character, with trailers': {
    send: says(chunked([...body], 'x-trailer: y\r\n')),
    status: 200,
    is: 'reply',
    check: callsOnce,
  },
  'a request in pieces of one byte': {
    send: async (connection) => {
      for (const byte of good) {
        connection.send(Uint8Array.of(byte));
        await new Promise(setImmediate);
      }
      return connection.response();
    },
    status: 200,
    is: 'reply',
  },
  'empty lines before the request': {
    send: says(Buffer.concat([Buffer.from('\r\n\r\n'), good])),
    status: 200,
    is: 'reply',
  },
  'the whole URL in the first line': {
    send: { body, target: 'http://127.0.0.1:8081/v1/chat/completions' },
    status: 200,
    is: 'reply',
  },
  'the version twice and slashes twice': {
    send: { body, target: '//v1/v1/chat/completions/?x=1' },
    status: 200,
    is: 'reply',
  },
  'Expect: 100-continue': {
    send: async (connection) => {
      const head = write({
        headers: { expect: '100-continue', 'content-length': String(bytes.length) },
      });
      connection.send(head);
      assert.equal((await connection.response()).status, 100);
      connection.send(bytes);
      return connection.response();
    },
    status: 200,
    is: 'reply',
  },
  'Expect: 100-continue for a body that is too large': {
    send: { headers: { expect: '100-continue', 'content-length': '99999999999' } },
    status: 413,
    is: 'error',
  },
  'a body that is too large, as it says': {
    impatient: true,
    send: says(write({ headers: { 'content-length': '3000000' } })),
    status: 413,
    is: 'error',
  },
  'a body that is too large, as it turns out': {
    impatient: true,
    send: says(chunked(['x'.repeat(3_000_000)])),
    status: 413,
    is: 'error',
  },
  'another expectation': {
    send: { body, headers: { expect: 'miracles' } },
    status: 417,
    is: 'any',
  },
  'HEAD where only POST is known': {
    send: async (connection) => {
      connection.send(write({ method: 'HEAD', headers: { 'content-length': null } }));
      return connection.response({ isHead: true });
    },
    status: 404,
    is: 'any',
  },
  'HEAD of a page of the proxy': {
    send: async (connection) => {
      connection.send(
        write({ method: 'HEAD', target: '/forge/health', headers: { 'content-length': null } }),
      );
      return connection.response({ isHead: true });
    },
    status: 200,
    is: 'any',
    check: ({ headers }) => assert.ok(Number(headers['content-length']) > 10),
  },
  'GET where only POST is known': {
    send: { method: 'GET', headers: { 'content-length': null } },
    status: 404,
    is: 'error',
  },
  'a path nobody knows': { send: { body, target: '/v1/nothing%00%' }, status: 404, is: 'error' },
  'a body in chunks for a path of the backend’s own': {
    backend: ({ body: heard, response }) => {
      response.writeHead(heard === 'abcdef' ? 404 : 500, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"As it came."}}');
    },
    send: says(
      'PUT /v1/files HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n',
    ),
    status: 404,
    is: 'error',
  },
  'a client that leaves in the middle of a body for the backend': {
    send: async (connection) => {
      connection.send('POST /v1/files HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nabc');
      await new Promise(setImmediate);
      connection.reset();
      return undefined;
    },
    status: [],
    is: 'any',
  },
  'a method nobody knows': { send: { body, method: 'BREW' }, status: 400, is: 'error' },
  'a method in small letters': { send: { body, method: 'post' }, status: 400, is: 'error' },
  'a tunnel to elsewhere': {
    send: async (connection) => {
      connection.send('CONNECT elsewhere.test:443 HTTP/1.1\r\nhost: elsewhere.test:443\r\n\r\n');
      assert.doesNotMatch(String(await connection.untilClosed()), /^HTTP\/1\.1 2/);
      return undefined;
    },
    status: [],
    is: 'any',
  },
  'an upgrade to WebSocket': {
    send: {
      method: 'GET',
      target: '/v1/realtime',
      headers: { connection: 'upgrade', upgrade: 'websocket', 'content-length': null },
    },
    status: 426,
    is: 'error',
  },
  'no host': { send: { body, headers: { host: null } }, status: 400, is: 'error' },
  'a host somebody could buy': {
    send: { body, headers: { host: 'evil.example' } },
    status: 403,
    is: 'error',
  },
  'a page of elsewhere': {
    send: { body, headers: { origin: 'https://evil.example' } },
    status: 403,
    is: 'error',
  },
  'a browser that asks first': {
    send: {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    },
    status: 204,
    is: 'any',
    check: ({ headers }) => assert.equal(headers['access-control-allow-origin'], '*'),
  },
  'a header of 70 KB': {
    send: { body, headers: { 'x-long': 'y'.repeat(70_000) } },
    status: 431,
    is: 'error',
  },
  'a header of 60 KB': {
    send: { body, headers: { 'x-long': 'y'.repeat(60_000) } },
    status: 200,
    is: 'reply',
  },
  'two thousand headers': {
    send: {
      body,
      headers: Object.fromEntries(Array.from({ length: 1_900 }, (_, at) => [`x-${at}`, 'y'])),
    },
    status: [200, 431],
    is: 'any',
  },
  'two lengths': {
    send: says(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    status: 400,
    is: 'error',
  },
  'a length and chunks': {
    send: { body, headers: { 'transfer-encoding': 'chunked' } },
    status: 400,
    is: 'error',
  },
  'a length below nothing': {
    send: { body, headers: { 'content-length': '-5' } },
    status: 400,
    is: 'error',
  },
  'a length in words': {
    send: { body, headers: { 'content-length': '1e3' } },
    status: 400,
    is: 'error',
  },
  'a broken chunk': {
    send: says(
      Buffer.concat([
        write({ headers: { 'content-length': null, 'transfer-encoding': 'chunked' } }),
        Buffer.from('zz\r\n'),
      ]),
    ),
    status: 400,
    is: 'error',
  },
  'a header over two lines': {
    send: { body, headers: { 'x-folded': 'a\r\n b' } },
    status: 400,
    is: 'error',
  },
  'a space before the colon': {
    send: { body, headers: { 'x-space ': 'y' } },
    status: 400,
    is: 'error',
  },
  'a zero byte in a header': {
    send: { body, headers: { 'x-nul': 'a\0b' } },
    status: 400,
    is: 'error',
  },
  'what is not HTTP': { send: says('\x16\x03\x01\x02\x00\x01\x00'), status: 400, is: 'error' },
  'a head that never ends': {
    impatient: true,
    send: says('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: '),
    status: 408,
    is: 'error',
  },
  'a body that never ends': {
    impatient: true,
    send: says(good.subarray(0, good.length - 1)),
    status: 408,
    is: 'error',
  },
  'a head that comes a byte at a time, for ever': {
    impatient: true,
    send: async (connection) => {
      connection.send('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: ');
      const timer = setInterval(() => connection.send('y'), 10);
      try {
        return await connection.response();
      } finally {
        clearInterval(timer);
      }
    },
    status: 408,
    is: 'error',
  },
  'a connection on which nothing is said': {
    impatient: true,
    send: async (connection) => {
      await connection.untilClosed();
      return undefined;
    },
    status: [],
    is: 'any',
  },
  'a client that leaves in the middle of its body': {
    send: async (connection) => {
      connection.send(good.subarray(0, good.length - 20));
      await new Promise(setImmediate);
      connection.reset();
      return undefined;
    },
    status: [],
    is: 'any',
  },
  'a client that leaves before its answer': {
    backend: stall,
    send: async (connection, backend) => {
      connection.send(good);
      await backend.untilAsked();
      connection.reset();
      return undefined;
    },
    status: [],
    is: 'any',
  },
  'a client that leaves in the middle of a stream': {
    backend: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ role: 'assistant', content: 'Once upon a time ' }));
    },
    send: async (connection) => {
      connection.send(write({ body: chat({ stream: true, tools: undefined }) }));
      await connection.head();
      connection.reset();
      return undefined;
    },
    status: [],
    is: 'any',
  },
  'a client that does not read': {
    impatient: true,
    backend: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = chunk({ content: 'x'.repeat(100_000) });
      const fill = () => {
        while (!response.destroyed) if (!response.write(more)) return;
      };
      response.on('drain', fill);
      fill();
    },
    send: async (connection, backend) => {
      connection.send(write({ body: chat({ stream: true, tools: undefined }) }));
      await connection.head();
      connection.pause();
      await backend.untilIdle();
      return undefined;
    },
    status: [],
    is: 'any',
  },
  gzip: { send: packed('gzip', gzipSync(body)), status: 200, is: 'reply', check: callsOnce },
  deflate: { send: packed('deflate', deflateSync(body)), status: 200, is: 'reply' },
  br: { send: packed('br', brotliCompressSync(body)), status: 200, is: 'reply' },
  zstd: { send: packed('zstd', zstdCompressSync(body)), status: 200, is: 'reply' },
  'gzip that is cut': {
    send: packed('gzip', gzipSync(body).subarray(0, 40)),
    status: 400,
    is: 'error',
  },
  'gzip that is none': { send: packed('gzip', bytes), status: 400, is: 'error' },
  'gzip of very much': {
    send: packed('gzip', gzipSync(Buffer.alloc(100_000_000, ' '), { level: 1 })),
    status: 413,
    is: 'error',
  },
  'an encoding nobody knows': { send: packed('snappy', bytes), status: 415, is: 'error' },
};
