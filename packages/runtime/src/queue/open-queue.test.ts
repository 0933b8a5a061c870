import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import { loadPackage } from './load-package.ts';
import { openQueue } from './open-queue.ts';

const store = { onWake: () => () => {} };

test('takes the store alone without an address, and opens the others without a server', async () => {
  for (const url of [undefined, '', 'redis://127.0.0.1:1', 'postgres://127.0.0.1:1/none']) {
    const queue = await openQueue(url, { store });
    await queue.close();
  }
});

test('names the addresses it knows, and keeps a password to itself', async () => {
  for (const url of ['amqp://user:secret@host', 'localhost:6379', 'nonsense']) {
    await assert.rejects(openQueue(url, { store }), (error) => {
      assert.ok(ForgeError.is(error, 'invalid_options'));
      assert.match(error.message, /redis:\/\/.+postgres:\/\//);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  }
});

test('says what to install where a package is missing, and only then', async () => {
  const missing = 'a-package-that-is-not-there';
  const names = { purpose: 'A queue on Redis', install: 'bullmq ioredis' };
  await assert.rejects(
    loadPackage(() => import(missing), names),
    {
      name: 'ForgeError',
      code: 'invalid_options',
      message:
        'A queue on Redis needs packages that are not installed. Run "npm install bullmq ioredis".',
    },
  );
  const broken = new Error('broken inside');
  await assert.rejects(
    loadPackage(() => Promise.reject(broken), names),
    broken,
  );
});
