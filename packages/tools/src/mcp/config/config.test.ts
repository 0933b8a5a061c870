import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHide, shownConfig } from './hide-secrets.ts';
import { mcpServersSchema } from './mcp-config.ts';
import { readServer } from './read-server.ts';
import { resolveReferences } from './resolve-references.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is how settings refer to a variable.
const reference = '${env:TOKEN}';
const readVariable = (name: string) => (name === 'TOKEN' ? 'tok-12345' : undefined);

describe('the settings of a server', () => {
  it('need a command or an address, and have defaults for the rest', () => {
    const local = readServer('a', { command: 'npx' });
    assert.equal(local.type, 'stdio');
    assert.deepEqual(local.timeouts, {
      connect: 30_000,
      call: 60_000,
      callTotal: 600_000,
      keepAlive: 60_000,
    });
    assert.equal(local.trust, 'ask');
    assert.equal(readServer('b', { url: 'https://example.com/mcp' }).type, 'http');
    assert.ok(
      mcpServersSchema.safeParse({ a: { command: 'x' }, b: { url: 'http://localhost/' } }).success,
    );
  });

  for (const [what, name, input, expected] of [
    ['neither', 'a', {}, /command/],
    ['both', 'a', { command: 'x', url: 'https://e.com' }, /Unrecognized key: "command"/],
    ['another protocol', 'a', { url: 'file:///etc/passwd' }, /url/],
    ['no address at all', 'a', { url: 'http://' }, /"a" is not set up right/],
    [
      'a password in the address',
      'a',
      { url: 'https://me:pw@e.com' },
      /Put the password into headers/,
    ],
    [
      'a header with a line break',
      'a',
      { url: 'https://e.com', headers: { 'a\nb': 'c' } },
      /headers/,
    ],
    ['two underscores in its name', 'a__b', { command: 'x' }, /server name/],
    ['an underscore at the end of its name', 'a_', { command: 'x' }, /server name/],
    ['no object', 'a', null, /expected object/],
    ['a timeout of nothing', 'a', { command: 'x', timeouts: { call: 0 } }, /timeouts/],
  ] as const) {
    it(`are refused with ${what}`, () => assert.throws(() => readServer(name, input), expected));
  }

  it('may refer to the environment, and a missing variable is an error', () => {
    assert.deepEqual(resolveReferences({ a: `Bearer ${reference}` }, readVariable), {
      a: 'Bearer tok-12345',
    });
    assert.throws(() => resolveReferences({ a: reference }, () => undefined), /TOKEN is not set/);
  });
});

describe('secrets', () => {
  const http = readServer('a', {
    url: 'https://e.com/mcp?key=query-secret',
    headers: { Authorization: `Bearer ${reference}`, 'X-Key': 'literal-secret' },
    oauth: { clientSecret: 'client-secret' },
  });

  it('are not in a config that is shown', () => {
    const shown = JSON.stringify(shownConfig(http));
    for (const secret of ['query-secret', 'literal-secret', 'client-secret']) {
      assert.ok(!shown.includes(secret), secret);
    }
    assert.ok(shown.includes(reference));
    const local = readServer('b', { command: 'x', env: { KEY: 'env-secret' } });
    assert.ok(!JSON.stringify(shownConfig(local)).includes('env-secret'));
  });

  it('are taken out of messages', () => {
    const hide = createHide(http, readVariable);
    assert.equal(
      hide('401: tok-12345, literal-secret and query-secret were wrong'),
      '401: ••••, •••• and •••• were wrong',
    );
  });
});
