import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPatience } from './patience.ts';

const lost = () => Object.assign(new Error('gone'), { code: 'ECONNRESET' });
const { signal } = new AbortController();

test('tries again while the server is away', async () => {
  let attempts = 0;
  const value = await withPatience({ total: 1_000, signal }, async () => {
    attempts += 1;
    if (attempts < 3) throw lost();
    return attempts;
  });
  assert.equal(value, 3);
});

test('gives up when its time is over, with the last failure as it came', async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    throw lost();
  };
  await assert.rejects(withPatience({ total: 50, signal }, attempt), /gone/);
  assert.equal(attempts, 3); // After 20 and 40 milliseconds.
});

test('does not repeat what cannot succeed', async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    throw new TypeError('bug');
  };
  await assert.rejects(withPatience({ total: 1_000, signal }, attempt), TypeError);
  assert.equal(attempts, 1);
});

test('stops waiting when the store is closed', async () => {
  const closing = new AbortController();
  const attempt = async () => {
    queueMicrotask(() => closing.abort());
    throw lost();
  };
  await assert.rejects(withPatience({ total: 60_000, signal: closing.signal }, attempt), /gone/);
});
