import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReplyReader } from './reply-reader.ts';

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const chunked =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nc\r\n, wide world\r\n0\r\n\r\n';
const empty = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

function listen() {
  const seen: string[] = [];
  const reader = createReplyReader({
    onBody: () => seen.push('body'),
    onEnd: () => seen.push('end'),
    onFault: (fault) => seen.push(`fault: ${fault}`),
  });
  return { seen, reader };
}

test('sees where bodies begin and end, wherever the bytes are cut', () => {
  const all = Buffer.from(whole + chunked + empty + chunked + whole);
  const expected = ['body', 'end', 'body', 'end', 'end', 'body', 'end', 'body', 'end'];
  for (let cut = 0; cut <= all.length; cut++) {
    const { seen, reader } = listen();
    reader.push(all.subarray(0, cut));
    reader.push(all.subarray(cut));
    assert.deepEqual(seen, expected, `cut at ${cut}`);
  }
});

test('reads byte by byte', () => {
  const { seen, reader } = listen();
  for (const byte of Buffer.from(chunked + whole)) reader.push(Buffer.from([byte]));
  assert.deepEqual(seen, ['body', 'end', 'body', 'end']);
});

test('does not count an error as a reply', () => {
  const { seen, reader } = listen();
  reader.push(Buffer.from('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 1\r\n\r\nx'));
  assert.match(seen[0] ?? '', /^fault: HTTP\/1\.1 502/);
});
