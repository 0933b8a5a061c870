import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBytes } from './parse-bytes.ts';

test('reads sizes with and without a unit', () => {
  const sizes = ['1048576', '64MiB', '64 MB', '1k', '1.5KiB', '2g', ' 3b '];
  assert.deepEqual(sizes.map(parseBytes), [1048576, 67108864, 64000000, 1024, 1536, 2147483648, 3]);
});

test('refuses what is no size', () => {
  for (const text of ['', '0', '-1', 'much', '1 XB', '1e9', '0x10', '9999999999999999', '9g9']) {
    assert.equal(parseBytes(text), undefined, text);
  }
});
