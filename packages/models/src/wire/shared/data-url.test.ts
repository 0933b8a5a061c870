import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDataUrl, writeDataUrl } from './data-url.ts';

test('reads the type and data of a data URL', () => {
  const image = { mediaType: 'image/png', data: 'AAAA' };
  assert.deepEqual(readDataUrl(writeDataUrl(image)), image);
  assert.deepEqual(readDataUrl('DATA:image/png;name=a.png;base64,AAAA'), image);
});

test('takes no other URL for one', () => {
  for (const url of ['https://a.example/b.png', 'data:image/png,plain', 'data:;base64,AA', '']) {
    assert.equal(readDataUrl(url), undefined, url);
  }
});
