import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { redactJson, redactSecrets, secretShapes } from './redact-secrets.ts';

const letters = 'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1xC0rF';
const long = (length: number) => letters.repeat(8).slice(0, length);

/** Made up, in the shapes of the real ones. */
const secrets: Readonly<Record<string, string>> = {
  OpenAI: `sk-${long(48)}`,
  'OpenAI project': `sk-proj-${long(40)}_${long(40)}-${long(40)}`,
  'OpenAI service account': `sk-svcacct-${long(60)}`,
  Anthropic: `sk-ant-api03-${long(86)}-${long(6)}AA`,
  'Anthropic admin': `sk-ant-admin01-${long(86)}`,
  OpenRouter: `sk-or-v1-${'0123456789abcdef'.repeat(4)}`,
  DeepSeek: `sk-${'0123456789abcdef'.repeat(2)}`,
  Google: `AIza${`Sy${long(33)}`}`,
  'Google OAuth': `ya29.${long(60)}`,
  Groq: `gsk_${long(52)}`,
  'Hugging Face': `hf_${long(34)}`,
  xAI: `xai-${long(80)}`,
  NVIDIA: `nvapi-${long(64)}`,
  'AWS access key': 'AKIAIOSFODNN7EXAMPLE',
  'AWS session key': 'ASIAIOSFODNN7EXAMPLE',
  'GitHub classic': `ghp_${long(36)}`,
  'GitHub app': `ghs_${long(36)}`,
  'GitHub fine-grained': `github_pat_${long(22)}_${long(59)}`,
  GitLab: `glpat-${long(20)}`,
  Slack: 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOHcbrzqgy',
  Stripe: `sk_live_${long(24)}`,
  npm: `npm_${long(36)}`,
  'JSON Web Token': `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${long(43)}`,
};

describe('redactSecrets', () => {
  for (const [name, secret] of Object.entries(secrets)) {
    it(`knows ${name} wherever it stands`, () => {
      for (const around of ['|', 'key=|&x=1', '"|"', '(|).', 'is |, ok', 'https://h/?key=|']) {
        const clean = redactSecrets(around.replace('|', () => secret));
        assert.equal(clean, around.replace('|', '[redacted]'));
      }
    });
  }

  it('knows secrets by what stands before them', () => {
    assert.equal(
      redactSecrets('Authorization: Bearer abc123def456'),
      'Authorization: Bearer [redacted]',
    );
    assert.equal(
      redactSecrets(`authorization: bearer ${'q'.repeat(24)}`),
      'authorization: bearer [redacted]',
    );
    assert.equal(redactSecrets('Basic dXNlcjpwYXNzd29yZA=='), 'Basic [redacted]');
    const aws = `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\nregion = x`;
    assert.equal(redactSecrets(aws), 'aws_secret_access_key = [redacted]\nregion = x');
    assert.equal(redactSecrets('postgres://me:hunter2@db/x'), 'postgres://[redacted]@db/x');
  });

  it('knows private keys, also half of one', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${long(64)}\n-----END RSA PRIVATE KEY-----`;
    assert.equal(redactSecrets(`a ${key} b ${key}`), 'a [redacted] b [redacted]');
    assert.equal(redactSecrets(`a ${key.slice(0, 60)}`), 'a [redacted]');
  });

  it('leaves ordinary text alone', () => {
    for (const text of [
      'The task-force-of-a-hundred-and-twenty people met.',
      'class="sk-circle-fade-dot-animation-wrapper"',
      'Bearer instruments and basic instructions are explained here.',
      'A bearer token goes into the Authorization header.',
      'toolu_01A09q90qw90lq917835lq9 and call_abc123def456ghi789 and msg_0123456789abcdef',
      'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
      'commit 3414112f0c2b4a2d9a1e5d6c7b8a9f0e1d2c3b4a',
      'https://example.com/a:b/c@2x.png',
      'mailto: someone@example.com',
    ]) {
      assert.equal(redactSecrets(text), text);
    }
  });

  it('changes nothing the second time, whatever the text', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.values(secrets), 'Bearer ', '://', ':', '@'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const clean = redactSecrets(pieces.join(''));
        assert.equal(redactSecrets(clean), clean);
      }),
    );
  });

  it('has only patterns that replace every occurrence', () => {
    for (const { pattern, name } of secretShapes) assert.ok(pattern.global, name);
  });
});

describe('redactJson', () => {
  it('goes into every depth, and keeps what is no secret', () => {
    const value = {
      text: `use ${secrets.Groq}`,
      list: [1, null, true, { deep: secrets.OpenAI ?? '' }],
      n: 3,
    };
    assert.deepEqual(redactJson(value), {
      text: 'use [redacted]',
      list: [1, null, true, { deep: '[redacted]' }],
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
      assert.equal(inner, '[redacted]');
    const harmless = { token: 'x', tokens: 3, key: 'x', password: { type: 'string' }, apiKey: '' };
    assert.deepEqual(redactJson(harmless), harmless);
  });
});
