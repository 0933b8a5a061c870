import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestReader } from './request-reader.ts';

const body = '{"model":"call","messages":[]}';
const plain = `POST /v1 HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunked =
  'POST /v1 HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n' +
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const bare = 'GET /props HTTP/1.1\r\nhost: a\r\n\r\n';

test('finds every request, wherever the bytes are cut', () => {
  const all = Buffer.from(plain + chunked + bare + plain);
  for (let cut = 0; cut <= all.length; cut++) {
    const models: (string | undefined)[] = [];
    const reader = createRequestReader((model) => models.push(model));
    reader.push(all.subarray(0, cut));
    reader.push(all.subarray(cut));
    assert.deepEqual(models, ['call', 'call', undefined, 'call'], `cut at ${cut}`);
  }
});
