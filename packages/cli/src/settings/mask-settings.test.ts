import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskSettings } from './mask-settings.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is how settings refer to a variable.
const reference = '${env:TOKEN}';

test('hides what may be secret and nothing else', () => {
  assert.deepEqual(
    maskSettings({
      model: 'ollama:qwen3:8b',
      store: 'postgres://me:a-real-password@h/d',
      runtime: { max_agent_tokens: 5 },
      deploy: { config: { env: { KEY: 'k', PORT: 1 }, api_key: 'k', start: 'npm start' } },
      proxy: { profiles: { a: { apiKeyEnv: 'NAME_OF_IT' } } },
      mcp: {
        a: {
          url: 'https://h.example/mcp?key=abc',
          headers: { Authorization: `Bearer ${reference}`, 'X-Key': 'abc' },
          oauth: { clientSecret: 'abc' },
        },
      },
      checks: [`curl -H "Authorization: Bearer ghp_${'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1xC0rF1234'}"`],
    }),
    {
      model: 'ollama:qwen3:8b',
      store: 'postgres://me:[redacted:url-password]@h/d',
      runtime: { max_agent_tokens: 5 },
      deploy: {
        config: { env: { KEY: '••••', PORT: '••••' }, api_key: '••••', start: 'npm start' },
      },
      proxy: { profiles: { a: { apiKeyEnv: 'NAME_OF_IT' } } },
      mcp: {
        a: {
          url: 'https://h.example/mcp?••••',
          headers: { Authorization: `Bearer ${reference}`, 'X-Key': '••••' },
          oauth: { clientSecret: '••••' },
        },
      },
      checks: ['curl -H "Authorization: Bearer [redacted:bearer]"'],
    },
  );
});
