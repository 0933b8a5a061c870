import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import { failureOf, toForgeError } from './failure.ts';

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

test('tells what may be tried again from what may have happened and from what cannot be', () => {
  assert.equal(failureOf(coded('40001')), 'conflict');
  assert.equal(failureOf(coded('40P01')), 'conflict');
  for (const code of ['57P01', '08006', '53300', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE']) {
    assert.equal(failureOf(coded(code)), 'lost', code);
  }
  const words = [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
    'Query read timeout',
    'timeout exceeded when trying to connect',
  ];
  for (const message of words) assert.equal(failureOf(new Error(message)), 'lost', message);
  for (const error of [coded('23505'), coded('28P01'), new TypeError('x'), 'text', undefined]) {
    assert.equal(failureOf(error), 'fault');
  }
  assert.equal(failureOf(new ForgeError('lease_lost', 'Connection terminated')), 'fault');
});

test('says what to do, and keeps our own errors as they are', () => {
  const own = new ForgeError('not_found', 'There is no run "x".');
  assert.equal(toForgeError(own), own);
  const nul = toForgeError(coded('22021', 'invalid byte sequence'));
  assert.equal(nul.code, 'invalid_options');
  assert.match(nul.message, /NUL/);
  const cause = coded('53100', 'No space left on device');
  const full = toForgeError(cause);
  assert.equal(full.code, 'store_failed');
  assert.equal(full.cause, cause);
  assert.match(full.message, /No space left on device.+Look at the server/);
});
