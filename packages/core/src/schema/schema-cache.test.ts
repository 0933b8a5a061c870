import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '../errors.ts';
import { createSchemaCache } from './schema-cache.ts';

describe('createSchemaCache', () => {
  it('gives the same compiled schema for the same content, in whatever order it is written', () => {
    const cache = createSchemaCache({ max: 10 });
    const first = cache.get({ type: 'string', minLength: 1 });
    assert.equal(cache.get({ minLength: 1, type: 'string' }), first);
    assert.notEqual(cache.get({ type: 'string' }), first);
    assert.equal(cache.get(true), cache.get(true));
    assert.equal(cache.size, 3);
  });

  it('lets go of the one not asked for the longest', () => {
    const cache = createSchemaCache({ max: 2 });
    const a = cache.get({ const: 'a' });
    const b = cache.get({ const: 'b' });
    assert.equal(cache.get({ const: 'a' }), a);
    cache.get({ const: 'c' });
    assert.equal(cache.size, 2);
    assert.equal(cache.get({ const: 'a' }), a);
    assert.notEqual(cache.get({ const: 'b' }), b);
  });

  it('refuses what is no schema every time, and remembers nothing of it', () => {
    const cache = createSchemaCache({ max: 2 });
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 10_000; i++) deep = { items: deep };
    for (const schema of [{ type: 'str' }, { type: 'str' }, deep]) {
      assert.throws(
        () => cache.get(schema),
        (error) => ForgeError.is(error, 'invalid_schema'),
      );
    }
    assert.equal(cache.size, 0);
  });
});
