import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LeaseLimits } from './lease-limits.ts';
import { TenantTurns } from './tenant-turns.ts';

describe('TenantTurns', () => {
  it('begins after the one that was served last, and comes round', () => {
    const turns = new TenantTurns();
    assert.deepEqual(turns.order(['a', 'b', 'c']), ['a', 'b', 'c']);
    turns.served('a');
    assert.deepEqual(turns.order(['a', 'b', 'c']), ['b', 'c', 'a']);
    turns.served('bb');
    assert.deepEqual(turns.order(['a', 'b', 'c']), ['c', 'a', 'b']);
    turns.served('z');
    assert.deepEqual(turns.order(['a', 'b', 'c']), ['a', 'b', 'c']);
    assert.deepEqual(turns.order([]), []);
  });
});

describe('LeaseLimits', () => {
  it('counts what is leased and what is taken', () => {
    const limits = new LeaseLimits({ perAgent: { a: 2 }, perTenant: 3 }, [
      { agent: 'a', tenant: 't', count: 1 },
      { agent: 'b', tenant: 't', count: 1 },
    ]);
    assert.equal(limits.allows('a', 't'), true);
    limits.take('a', 't');
    assert.equal(limits.allows('a', 'u'), false, 'two of agent a');
    assert.equal(limits.allows('b', 't'), false, 'three of tenant t');
    assert.equal(limits.allows('b', 'u'), true);
    assert.equal(limits.allows('b', ''), true, 'no tenant, no limit');
  });

  it('is not fooled by names every object has', () => {
    const limits = new LeaseLimits({ perAgent: {} }, []);
    assert.equal(limits.allows('constructor', ''), true);
    assert.equal(LeaseLimits.areAsked({ perAgent: {} }), false);
    assert.equal(LeaseLimits.areAsked({ perTenant: 1 }), true);
  });
});
