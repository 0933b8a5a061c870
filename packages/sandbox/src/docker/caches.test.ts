import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheVariables } from './caches.ts';

test('sets the variables of the tools it knows, and none for other names', () => {
  assert.deepEqual(cacheVariables(['npm', 'mine', 'constructor']), {
    npm_config_cache: '/cache/npm',
  });
});
