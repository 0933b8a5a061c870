import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queueAddress } from './queue-address.ts';

describe('the queue', () => {
  it('is the store itself unless another is named', () => {
    assert.equal(queueAddress(undefined, 'runs.db'), undefined);
    assert.equal(queueAddress('store', 'postgres://h/d'), undefined);
    assert.equal(queueAddress('redis://h', 'runs.db'), 'redis://h');
  });

  it('pg-boss is in the database of the store', () => {
    assert.equal(queueAddress('pg-boss', 'postgres://h/d'), 'postgres://h/d');
    assert.throws(() => queueAddress('pg-boss', 'runs.db'), /needs a store on PostgreSQL/);
  });
});
