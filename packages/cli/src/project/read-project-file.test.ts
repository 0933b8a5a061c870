import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { parseProjectFile, readProjectFile } from './read-project-file.ts';

function faultOf(text: string): string {
  try {
    parseProjectFile('forge.yaml', text);
  } catch (error) {
    assert.ok(ForgeError.is(error, 'invalid_options'));
    return error.message;
  }
  return assert.fail('it was taken');
}

const profile = (lines: string) =>
  `proxy:\n  profiles:\n    a:\n${lines.replace(/^/gm, '      ')}\n`;

test('reads everything a profile can say', () => {
  const { config } = parseProjectFile(
    'forge.yaml',
    `
proxy:
  default: a
  profiles:
    a:
      backend: { url: http://127.0.0.1:8080, kind: llamaserver, wire: openai-chat, model: m,
                 apiKeyEnv: KEY, tools: prompt, timeout: 60, connectTimeout: 2.5 }
      host: 127.0.0.1
      port: 8081
      apiKeyEnv: CALLERS
      guard:
        maxRetries: 2
        maxToolErrors: 1
        respondTool: true
        reasoningReplay: last
        constrain: always
        switches: { rescue: false }
        steps:
          - { tools: [read, write], requiredSteps: [read], terminalTools: [write] }
      limits: { bodyBytes: 8MiB, headerBytes: 16384, concurrency: 4, queue: 0, heartbeat: 5 }
      serialize: 2
      sessions: true
      learn: lessons.json
      workers: 2
    b:
      backend: { kind: vllm, modelPath: some/model, port: 9000, budgetMode: manual,
                 budgetTokens: 8192, flags: [--enforce-eager] }
      serialize: false
      learn: true
`,
  );
  assert.deepEqual(config.proxy?.profiles?.a?.guard?.steps, [
    { tools: ['read', 'write'], requiredSteps: ['read'], terminalTools: ['write'] },
  ]);
  assert.equal(config.proxy?.profiles?.b?.backend?.budgetTokens, 8192);
});

test('takes an empty file, and one of comments only', () => {
  for (const text of ['', '\n', '# nothing yet\n']) {
    assert.deepEqual(parseProjectFile('forge.yaml', text).config, {});
  }
});

test('profiles may share lines by an anchor', () => {
  const { config } = parseProjectFile(
    'forge.yaml',
    'proxy:\n  profiles:\n    a: &a { port: 1, sessions: true }\n    b: { <<: *a, port: 2 }\n',
  );
  assert.deepEqual(config.proxy?.profiles?.b, { port: 2, sessions: true });
});

const wrong: readonly (readonly [name: string, text: string, fault: RegExp])[] = [
  ['no YAML', 'proxy: [', /^forge\.yaml:1:\d+: /],
  ['a key twice', 'proxy: {}\nproxy: {}\n', /^forge\.yaml:2:1: Map keys must be unique/],
  [
    'an unknown top-level key',
    'proxi: {}\n',
    /^forge\.yaml:1:1: proxi is not known\. Did you mean proxy\?/,
  ],
  [
    'an unknown key far in',
    profile('backend:\n  ulr: http://x'),
    /^forge\.yaml:5:9: proxy\.profiles\.a\.backend\.ulr is not known\. Did you mean url\?/,
  ],
  [
    'a secret in the file, without showing it',
    profile('apiKey: sk-very-secret'),
    /^forge\.yaml:4:7: proxy\.profiles\.a\.apiKey is not known\. Did you mean apiKeyEnv\?(?!.*sk-)/,
  ],
  [
    'a secret instead of the name of its variable',
    profile('apiKeyEnv: sk-abc'),
    /apiKeyEnv takes the name of an environment variable \(never the secret itself\)(?!.*sk-abc)/,
  ],
  [
    'a word for a number',
    profile('port: high'),
    /^forge\.yaml:4:7: proxy\.profiles\.a\.port takes a whole number from 0 to 65535, not "high"\./,
  ],
  ['a number too large', profile('port: 70000'), /from 0 to 65535, not 70000/],
  ['a word for a switch', profile('sessions: maybe'), /sessions takes true or false, not "maybe"/],
  [
    'a choice that is none',
    profile('backend: { kind: llama-server }'),
    /kind takes one of llamaserver, .*, not "llama-server"\. Did you mean llamaserver\?/,
  ],
  [
    'no address',
    profile('backend: { url: "127.0.0.1:8080" }'),
    /url takes an address, such as http/,
  ],
  ['no size', profile('limits: { bodyBytes: much }'), /bodyBytes takes a size, such as 64MiB/],
  [
    'a text for a list',
    profile('backend: { flags: --fast }'),
    /flags takes a list, each item text/,
  ],
  [
    'something missing in a list',
    profile('guard:\n  steps:\n    - tools: [a]'),
    /^forge\.yaml:6:13: proxy\.profiles\.a\.guard\.steps\[0\]\.requiredSteps takes a list.*missing/,
  ],
  [
    'nothing where a block is due',
    'proxy:\n',
    /^forge\.yaml:1:1: proxy takes a block with default/,
  ],
  [
    'a list for the file',
    '- a\n',
    /^forge\.yaml:1:1: The file takes a block with name, .*, proxy, mcp, tools, plugins, not a list/,
  ],
  [
    'a wrong key in one of several shapes, told of the shape that was meant',
    'mcp: { a: { url: "https://x.example", headrs: {} } }',
    /^forge\.yaml:1:39: mcp\.a\.headrs is not known\. Did you mean headers\?/,
  ],
  [
    'keys of two shapes at once',
    'mcp: { a: { url: "https://x.example", command: x } }',
    /mcp\.a\.url does not go with the other keys there/,
  ],
  [
    'what a part says of itself, in its own words',
    'tools: { rules: [{ deny: "shell(git" }] }',
    /^forge\.yaml:1:20: tools\.rules\[0\]\.deny: "shell\(git" has no closing parenthesis/,
  ],
  [
    'a value that is none of the shapes',
    'sandbox: { network: some }',
    /sandbox\.network takes none, full, or a list of hosts, not "some"/,
  ],
  [
    'brackets without end',
    `deploy: { config: { a: ${'['.repeat(5_000)}${']'.repeat(5_000)} } }`,
    /^forge\.yaml:1:\d+: /,
  ],
  [
    'a key that would speak to the terminal, without letting it',
    '"a\\e[31mb\\nc": 1\n',
    /^forge\.yaml:1:1: ab c is not known\. /,
  ],
  ['a name with spaces', 'proxy: { profiles: { "a b": {} } }', /"a b" cannot be a name here/],
  [
    'aliases without end',
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefg'
      .split('')
      .map((name, at) => `${name}: &${name} [${`*${'abcdef'[at]},`.repeat(10)}]`)
      .join('\n')}\n`,
    /Excessive alias count/,
  ],
];

for (const [name, text, fault] of wrong) {
  test(`refuses ${name}`, () => assert.match(faultOf(text), fault));
}

test('tells of everything that is wrong, up to a point', () => {
  const text = `proxy:\n${Array.from({ length: 30 }, (_, at) => `  wrong${at}: 1\n`).join('')}`;
  const lines = faultOf(text).split('\n');
  assert.equal(lines.length, 11);
  assert.equal(lines.at(-1), '… and 20 more');
});

test('a file that cannot be read is an error that names it', () => {
  assert.throws(
    () => readProjectFile('/nowhere/forge.yaml'),
    /\/nowhere\/forge\.yaml cannot be read/,
  );
});

test('property: whatever the file holds, it is taken or told with its place', () => {
  const piece = fc.constantFrom(
    ...['proxy:', 'profiles:', '  ', '\n', '- ', '{', '}', '[', ']', '&a', '*a', '<<:', ': ', '"'],
    ...['default', 'a', 'backend', 'url', 'port', '1', 'true', '|', '>', '#', '\t', '---', '!!str'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        parseProjectFile('forge.yaml', pieces.join(''));
      } catch (error) {
        assert.ok(ForgeError.is(error, 'invalid_options'), String(error));
        assert.match(error.message, /^forge\.yaml/);
      }
    }),
  );
});
