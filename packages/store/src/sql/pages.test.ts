import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { pageSize, readPlace, toPage, writePlace } from './pages.ts';

describe('pages', () => {
  it('are bounded, whatever is asked for', () => {
    assert.equal(pageSize(undefined), 100);
    assert.equal(pageSize(7.9), 7);
    assert.equal(pageSize(1e9), 1_000);
    for (const limit of [0, -1, Number.NaN]) {
      assert.throws(
        () => pageSize(limit),
        (error) => ForgeError.is(error, 'invalid_options'),
      );
    }
  });

  it('find their place again, whatever the id looks like', () => {
    for (const id of ['a', 'with:colon', 'with\nline', '9:9']) {
      assert.deepEqual(readPlace(writePlace({ at: 12, id })), { at: 12, id });
    }
    assert.equal(readPlace(undefined), undefined);
    for (const bad of ['', 'x', ':a', '12:', '-1:a']) {
      assert.throws(
        () => readPlace(bad),
        (error) => ForgeError.is(error, 'invalid_options'),
      );
    }
  });

  it('say whether there is another', () => {
    const options = { size: 2, read: (n: number) => n, place: (n: number) => ({ at: n, id: 'x' }) };
    assert.deepEqual(toPage([3, 2, 1], options), { items: [3, 2], next: '2:x' });
    assert.deepEqual(toPage([3, 2], options), { items: [3, 2], next: undefined });
    assert.deepEqual(toPage([], options), { items: [], next: undefined });
  });
});
