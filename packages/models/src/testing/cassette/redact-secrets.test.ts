import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactJson } from './redact-secrets.ts';

const groq = `gsk_${'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1xC0rF'.repeat(2).slice(0, 52)}`;

describe('redactJson', () => {
  it('goes into every depth, and keeps what is no secret', () => {
    const value = {
      text: `use ${groq}`,
      list: [1, null, true, { deep: groq }],
      n: 3,
    };
    assert.deepEqual(redactJson(value), {
      text: 'use [redacted:groq-key]',
      list: [1, null, true, { deep: '[redacted:groq-key]' }],
      n: 3,
    });
  });

  it('redacts by the name of the field', () => {
    const secret = {
      Authorization: 'x',
      'x-api-key': 'x',
      api_key: 'x',
      apiKey: 'x',
      password: 'x',
      access_token: 'x',
    };
    for (const inner of Object.values(Object(redactJson(secret))))
      assert.equal(inner, '[redacted:field]');
    const harmless = { token: 'x', tokens: 3, key: 'x', password: { type: 'string' }, apiKey: '' };
    assert.deepEqual(redactJson(harmless), harmless);
  });
});
