import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preflightHeaders } from './cors.ts';
import { responseHeaders } from './response-headers.ts';

const cors = ['access-control-allow-origin', '*', 'access-control-expose-headers', '*'];

const came = [
  ...['Content-Type', 'application/json', 'Content-Length', '5', 'Content-Encoding', 'gzip'],
  ...['ETag', '"x"', 'Connection', 'close, X-Hop', 'X-Hop', '1', 'Keep-Alive', 'timeout=5'],
  ...['Transfer-Encoding', 'chunked', 'X-Forge-Outcome', 'clean', 'Set-Cookie', 'a=1'],
  ...['Set-Cookie', 'b=2', 'X-Request-Id', 'r'],
];

test('a body as it came keeps its length and encoding', () => {
  assert.deepEqual(responseHeaders(came, { isRewritten: false }), [
    ...['content-type', 'application/json', 'content-length', '5', 'content-encoding', 'gzip'],
    ...['etag', '"x"', 'set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-request-id', 'r', ...cors],
  ]);
});

test('a body written anew has lost them', () => {
  assert.deepEqual(responseHeaders(came, { isRewritten: true }), [
    ...['content-type', 'application/json', 'set-cookie', 'a=1', 'set-cookie', 'b=2'],
    ...['x-request-id', 'r', ...cors],
  ]);
});

test('a stream promises no length: it may end with an error of ours', () => {
  const raw = [
    'Content-Length',
    '9',
    'Content-Type',
    'text/event-stream; charset=utf-8',
    'x-a',
    'b',
  ];
  assert.deepEqual(responseHeaders(raw, { isRewritten: false }), [
    ...['content-type', 'text/event-stream; charset=utf-8', 'x-a', 'b', ...cors],
  ]);
});

test('what cannot be said is left out', () => {
  const raw = ['X-Name', 'éA', 'x-bad', 'a\u0000b', 'x-wide', '日'];
  assert.deepEqual(responseHeaders(raw, { isRewritten: false }), ['x-name', 'éA', ...cors]);
});

test('the backend’s own word on pages stands', () => {
  const raw = ['Access-Control-Allow-Origin', 'https://one.example'];
  assert.deepEqual(responseHeaders(raw, { isRewritten: false }), [
    'access-control-allow-origin',
    'https://one.example',
  ]);
});

test('a browser that asks beforehand is told yes, to the headers it names', () => {
  const asked = {
    'access-control-request-headers': 'authorization,x-api-key',
    'access-control-request-private-network': 'true',
  };
  const answer = preflightHeaders(asked);
  assert.equal(
    answer[answer.indexOf('access-control-allow-headers') + 1],
    'authorization,x-api-key',
  );
  assert.equal(answer[answer.indexOf('access-control-allow-private-network') + 1], 'true');
  const plain = preflightHeaders({});
  assert.equal(plain[plain.indexOf('access-control-allow-headers') + 1], '*');
  assert.ok(!plain.includes('access-control-allow-private-network'));
});
