import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryAfter, writeRetryAfter } from './retry-after.ts';

const now = Date.UTC(2030, 0, 1);

test('reads milliseconds, seconds and dates, however the header is spelt', () => {
  assert.equal(readRetryAfter({ 'retry-after': '12' }, now), 12_000);
  assert.equal(readRetryAfter({ 'Retry-After': ' 0.5 ' }, now), 500);
  assert.equal(readRetryAfter({ 'retry-after-ms': '250.2', 'retry-after': '9' }, now), 251);
  const later = 'Tue, 01 Jan 2030 00:00:05 GMT';
  assert.equal(readRetryAfter({ 'retry-after': later }, now), 5_000);
  assert.equal(readRetryAfter({ 'retry-after': later }, now + 60_000), 0);
});

test('measures a date against that of the response', () => {
  const headers = {
    'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT',
    Date: 'Tue, 01 Jan 2030 00:01:00 GMT',
  };
  assert.equal(readRetryAfter(headers, 0), 30_000);
});

test('takes nothing else for a time', () => {
  for (const odd of ['', 'soon', '-1', '0x10', 'Infinity', '1e3', '2030']) {
    const read = readRetryAfter({ 'retry-after': odd }, now);
    assert.equal(read, odd === '2030' ? 2_030_000 : undefined, odd);
  }
  assert.equal(readRetryAfter({}, now), undefined);
});

test('writes what it reads, and whole seconds for everyone else', () => {
  const headers = writeRetryAfter({ retryAfter: 1_234 });
  assert.equal(headers['retry-after'], '2');
  assert.equal(readRetryAfter(headers, now), 1_234);
  assert.deepEqual(writeRetryAfter({}), {});
  assert.deepEqual(writeRetryAfter({ retryAfter: Number.POSITIVE_INFINITY }), {});
  assert.equal(writeRetryAfter({ retryAfter: -5 })['retry-after'], '0');
});
