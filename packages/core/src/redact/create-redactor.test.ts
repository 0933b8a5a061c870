import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from './create-redactor.ts';

const letters = 'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1xC0rF';
const long = (length: number) => letters.repeat(8).slice(0, length);
const { redact } = createRedactor();

/** Made up, in the shapes of the real ones. */
const secrets: readonly (readonly [kind: string, secret: string])[] = [
  ['openai-key', `sk-${long(48)}`],
  ['openai-key', `sk-proj-${long(40)}_${long(40)}-${long(40)}`],
  ['openai-key', `sk-svcacct-${long(60)}`],
  ['openai-key', `sk-${'0123456789abcdef'.repeat(2)}`],
  ['anthropic-key', `sk-ant-api03-${long(86)}-${long(6)}AA`],
  ['anthropic-key', `sk-ant-admin01-${long(86)}`],
  ['openrouter-key', `sk-or-v1-${'0123456789abcdef'.repeat(4)}`],
  ['google-key', `AIzaSy${long(33)}`],
  ['google-token', `ya29.${long(60)}`],
  ['groq-key', `gsk_${long(52)}`],
  ['huggingface-token', `hf_${long(34)}`],
  ['model-key', `xai-${long(80)}`],
  ['model-key', `nvapi-${long(64)}`],
  ['aws-key', 'AKIAIOSFODNN7EXAMPLE'],
  ['aws-key', 'ASIAIOSFODNN7EXAMPLE'],
  ['github-token', `ghp_${long(36)}`],
  ['github-token', `gho_${long(36)}`],
  ['github-token', `ghs_${long(36)}`],
  ['github-token', `github_pat_${long(22)}_${long(59)}`],
  ['gitlab-token', `glpat-${long(20)}`],
  ['slack-token', `xoxb-${'17653672481-19874698323'}-${long(24)}`],
  ['slack-token', `xapp-1-A0123456789-1234567890123-${long(64)}`],
  ['stripe-key', `sk_live_${long(24)}`],
  ['stripe-key', `rk_test_${long(24)}`],
  ['npm-token', `npm_${long(36)}`],
  ['api-key', `key-${long(32)}`],
  ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${long(43)}`],
];

describe('a redactor', () => {
  for (const [kind, secret] of secrets) {
    it(`knows ${kind} ${secret.slice(0, 12)}… wherever it stands`, () => {
      const plain = ['|', 'key=|&x=1', '"|"', '(|).', 'is |, ok', 'https://h/?key=|', '\\"|\\"'];
      const escaped = [
        '"a\\n|\\n"',
        '\\t|',
        '\\u001b|',
        'h%2F%3Fkey%3D|',
        '\u001b[1;32m|\u001b[0m',
      ];
      const places = [...plain, ...escaped];
      for (const around of places) {
        const clean = redact(around.replace('|', () => secret));
        assert.equal(clean, around.replace('|', `[redacted:${kind}]`));
      }
    });
  }

  it('knows secrets by what stands before them', () => {
    const cases = [
      ['Authorization: Bearer abc123def456ghi7', 'Authorization: Bearer [redacted:bearer]'],
      [`authorization: bearer ${'q'.repeat(24)}`, 'authorization: bearer [redacted:bearer]'],
      ['"Basic dXNlcjpwYXNzd29yZA=="', '"Basic [redacted:basic]"'],
      [
        'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\nregion = x',
        'aws_secret_access_key = [redacted:aws-secret]\nregion = x',
      ],
      [
        '{\\"SecretAccessKey\\": \\"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\\"}',
        '{\\"SecretAccessKey\\": \\"[redacted:aws-secret]\\"}',
      ],
      ['postgres://me:hunter2@db/x', 'postgres://me:[redacted:url-password]@db/x'],
      ['redis://:s3cr@t@h:6379', 'redis://:[redacted:url-password]@h:6379'],
    ] as const;
    for (const [text, clean] of cases) assert.equal(redact(text), clean);
  });

  it('knows private keys, also half of one', () => {
    for (const name of ['RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY']) {
      const key = `-----BEGIN ${name}-----\n${long(64)}\n-----END ${name}-----`;
      assert.equal(
        redact(`a ${key} b ${key}`),
        'a [redacted:private-key] b [redacted:private-key]',
      );
      assert.equal(redact(`a ${key.slice(0, 60)}`), 'a [redacted:private-key]');
    }
    const open = '-----BEGIN PUBLIC KEY-----\nMII\n-----END PUBLIC KEY-----';
    assert.equal(redact(open), open);
  });

  it('takes the names of keys for no keys: what follows them stays', () => {
    const head = '-----BEGIN RSA PRIVATE KEY-----';
    const tail = '-----END RSA PRIVATE KEY-----';
    for (const text of [
      `The file begins with \`${head}\`.\nThen go on with the next step.`,
      `const head = '${head}';\nexport function isKey() {}\nconst tail = '${tail}';\nisKey();`,
      `${head}\n...\n${tail}`,
    ]) {
      assert.equal(redact(text), text);
      assert.equal(redact(`${text} ${head}\n${long(64)}`), `${text} [redacted:private-key]`);
    }
    for (const body of [
      `\\n${long(64)}\\n`,
      `\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n${long(64)}\n`,
      `\n   12\t${long(64)}\n   13\t${long(20)}\n   14\t`,
      `\\n" +\n  "${long(64)}\\n" +\n  "`,
    ]) {
      assert.equal(redact(`${head}${body}${tail} b`), '[redacted:private-key] b');
    }
  });

  it('knows the values it is given, in JSON and in addresses too', () => {
    const value = 'corr"ect horse\nbattery';
    const own = createRedactor({ values: [value, 'correct', 'abc', ''] });
    for (const text of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]) {
      assert.equal(own.redact(`<${text}>`), '<[redacted:configured]>');
    }
    assert.equal(own.redact('correction abc'), '[redacted:configured]ion abc');
  });

  it('leaves ordinary text alone', () => {
    for (const text of [
      'The task-force-of-a-hundred-and-twenty people met.',
      'class="sk-circle-fade-dot-animation-wrapper-12"',
      'Bearer instruments and basic instructions are explained here.',
      'A bearer token goes into the Authorization header.',
      'Basic Python3Tutorial for beginners',
      'headers: { Authorization: `Bearer $' + '{token}` }',
      'toolu_01A09q90qw90lq917835lq9 and call_abc123def456ghi789 and msg_0123456789abcdef',
      'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
      'commit 3414112f0c2b4a2d9a1e5d6c7b8a9f0e1d2c3b4a',
      'a3bb189e-8bf9-3888-9912-ace4e6543002',
      'sha512-GaX8nQ+Z5vTnH0m6S1Zk9rF2w3x4y5z6A7B8C9D0E1F2G3H4I5J6K7L8M9N0==',
      'https://example.com/a:b/c@2x.png and https://example.com:443?x=me@mail.com',
      'DATABASE_URL=postgres://postgres:postgres@db:5432/app',
      'postgres://app:$DB_PASSWORD@db/app and amqp://user:<password>@mq',
      'mailto: someone@example.com, git@github.com:owner/name.git',
      'const key_for_the_very_long_identifier_name2 = "key-value-store-of-the-second-kind-2";',
      'AKIAMARA is a place; AKIA1 is not a key',
    ]) {
      assert.equal(redact(text), text);
    }
  });

  it('leaves ids, hashes, base64 and words of any kind alone', () => {
    const plain = fc.oneof(
      fc.uuid(),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 128 }),
      fc
        .uint8Array({ minLength: 100, maxLength: 600 })
        .map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.lorem(),
      fc.webUrl(),
      fc.emailAddress(),
    );
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 5 }), (words) => {
        const text = words.join(' ');
        assert.equal(redact(text), text);
      }),
    );
  });

  it('finds every secret between any words, and changes nothing the second time', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        ...secrets.map(([, secret]) => secret),
        'Bearer ',
        '://',
        ':',
        '@',
        '-----BEGIN',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const clean = redact(pieces.join(' '));
        for (const [, secret] of secrets) assert.ok(!clean.includes(secret));
        const mixed = redact(pieces.join(''));
        assert.equal(redact(mixed), mixed);
      }),
    );
  });

  it('looks at each place of a text a bounded number of times', () => {
    const hostile = [
      'sk-a'.repeat(50_000),
      `${'eyJaaaaaaaa.'.repeat(20_000)}`,
      '-----BEGIN PRIVATE KEY-----'.repeat(8_000),
      '://a:'.repeat(40_000),
      'eyJ'.repeat(300_000),
      'bearer '.repeat(30_000),
      `basic ${'a'.repeat(200_000)}`,
      'secret_access_key='.repeat(10_000),
    ];
    for (const text of hostile) assert.ok(redact(text).length <= text.length + 100);
  });
});
