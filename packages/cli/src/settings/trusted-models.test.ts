import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profiles } from '@forge/models';
import { keyVariableOf } from './trusted-models.ts';

for (const [provider, profile] of Object.entries(profiles)) {
  if (!('keyVariable' in profile)) continue;
  test(`the key of ${provider} is in ${profile.keyVariable}`, () => {
    assert.equal(keyVariableOf(provider), profile.keyVariable);
  });
}
