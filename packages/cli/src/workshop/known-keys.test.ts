import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { knownKeys } from './known-keys.ts';

describe('what is kept out of the log', () => {
  it('are the values of variables that are named like secrets', () => {
    const environment = {
      OPENAI_API_KEY: 'sk-0123456789',
      GITHUB_TOKEN: 'ghp_0123456789',
      DB_PASSWORD: 'correct horse',
      KEYBOARD: 'qwertz-layout',
      SHORT_KEY: 'abc',
    };
    assert.deepEqual([...knownKeys(readConfig(environment))].sort(), [
      'correct horse',
      'ghp_0123456789',
      'sk-0123456789',
    ]);
  });
});
