import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { readMoment } from './read-moment.ts';

const read = (text: string, zone = 'Europe/Berlin') =>
  new Date(readMoment(text, zone)).toISOString();

describe('readMoment', () => {
  it('reads the wall clock of the zone, or an offset', () => {
    assert.equal(read('2026-11-15T09:00'), '2026-11-15T08:00:00.000Z');
    assert.equal(read('2026-07-15 09:00:30'), '2026-07-15T07:00:30.000Z');
    assert.equal(read('2026-11-15T09:00:00Z'), '2026-11-15T09:00:00.000Z');
    assert.equal(read('2026-11-15T09:00+05:30'), '2026-11-15T03:30:00.000Z');
  });

  it('moves a time in the gap behind it, and takes the first of two', () => {
    assert.equal(read('2026-03-29T02:30'), '2026-03-29T01:30:00.000Z');
    assert.equal(read('2026-10-25T02:30'), '2026-10-25T00:30:00.000Z');
  });

  it('says how to write what it cannot read', () => {
    for (const text of [
      'tomorrow',
      '2026-02-30T09:00',
      '2026-11-15',
      '09:00',
      '2026-11-15T25:00',
    ]) {
      assert.throws(
        () => readMoment(text, 'UTC'),
        (error) => ForgeError.is(error, 'invalid_options') && error.message.includes('2026-11-15T'),
        text,
      );
    }
  });
});
