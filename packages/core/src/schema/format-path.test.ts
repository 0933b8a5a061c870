import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatPath } from './format-path.ts';

it('writes a path the way code would', () => {
  assert.equal(formatPath([]), '(root)');
  assert.equal(formatPath(['items', 0, 'name']), 'items[0].name');
  assert.equal(formatPath([2, 'a']), '[2].a');
  assert.equal(formatPath(['a b', 'c.d', '']), '["a b"]["c.d"][""]');
  assert.equal(formatPath(['größe', 'x-y', '$ref']), 'größe.x-y.$ref');
});
