import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, type JsonValue } from '@forge/core';
import fc from 'fast-check';
import { sameJson } from './same-json.ts';

test('the order of fields does not matter, and nothing at all is not null', () => {
  assert.ok(sameJson({ a: 1, b: [null] }, { b: [null], a: 1 }));
  assert.ok(sameJson([], []) && sameJson({}, {}) && sameJson(undefined, undefined));
  assert.ok(!sameJson([], {}) && !sameJson({}, null) && !sameJson(undefined, null));
});

test('says the same as comparing the canonical texts', () => {
  const small = fc
    .jsonValue({ maxDepth: 2 })
    .map((value): JsonValue => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(small, small, (one, other) => {
      assert.equal(sameJson(one, other), canonicalJson(one) === canonicalJson(other));
      assert.ok(sameJson(one, one));
    }),
  );
});
