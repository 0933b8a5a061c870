import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import fc from 'fast-check';
import { readConfig } from '../config.ts';
import { environmentLayer } from './environment-layer.ts';
import { settingsJsonSchema } from './json-schema.ts';
import { valueAt } from './layer.ts';
import { pathOf, variableOf } from './variable-path.ts';

function read(environment: Readonly<Record<string, string>>, below: JsonObject = {}) {
  const { layers, faults, notices } = environmentLayer(readConfig(environment), {
    below,
    cwd: '/here',
  });
  const [layer] = layers;
  assert.ok(layer !== undefined);
  return { value: layer.value, placeOf: layer.placeOf, faults, notices };
}

const right: readonly (readonly [name: string, text: string, path: string, value: JsonValue])[] = [
  ['FORGE_MODEL', 'ollama:qwen3:8b', 'model', 'ollama:qwen3:8b'],
  ['FORGE_NAME', 'true', 'name', 'true'],
  ['FORGE_MAX_PARALLEL_CODERS', '3', 'max_parallel_coders', 3],
  ['FORGE_DEPLOY__TARGET', 'process', 'deploy.target', 'process'],
  ['FORGE_DEPLOY__APPROVAL', 'Yes', 'deploy.approval', true],
  ['FORGE_DEPLOY__APPROVAL', '0', 'deploy.approval', false],
  ['FORGE_AGENTS__CODER__TEMPERATURE', '.5', 'agents.coder.temperature', 0.5],
  ['FORGE_SANDBOX__NETWORK', 'none', 'sandbox.network', 'none'],
  [
    'FORGE_SANDBOX__NETWORK',
    'a.example, b.example,',
    'sandbox.network',
    ['a.example', 'b.example'],
  ],
  ['FORGE_CHECKS', '["npm test", "a, b"]', 'checks', ['npm test', 'a, b']],
  ['FORGE_CHECKS', 'npm test', 'checks', ['npm test']],
  ['FORGE_PIPELINE', '{"name":"p"}', 'pipeline', { name: 'p' }],
  ['FORGE_PIPELINE', 'pipeline.ts', 'pipeline', 'pipeline.ts'],
  ['FORGE_DEPLOY__CONFIG__PORT', '8080', 'deploy.config.port', 8080],
  ['FORGE_DEPLOY__CONFIG__START', 'npm start', 'deploy.config.start', 'npm start'],
  ['FORGE_DEPLOY__CONFIG__HEALTH__PATH', '/up', 'deploy.config.health.path', '/up'],
  ['FORGE_ROUTER__WEIGHTS__CODING', '{"openai:m":1}', 'router.weights.coding', { 'openai:m': 1 }],
  ['FORGE_MCP__NOTES', '{"command":"npx"}', 'mcp.notes', { command: 'npx' }],
];

for (const [name, text, path, value] of right) {
  test(`${name}=${text} sets ${path}`, () => {
    const layer = read({ [name]: text });
    assert.deepEqual([layer.faults, layer.notices], [[], []]);
    assert.deepEqual(valueAt(layer.value, path.split('.')), value);
    assert.equal(layer.placeOf(path.split('.')), name);
  });
}

const wrong: readonly (readonly [name: string, text: string, fault: RegExp])[] = [
  ['FORGE_MAX_PARALLEL_CODERS', 'many', /max_parallel_coders takes a whole number from 1 to 32/],
  ['FORGE_MAX_PARALLEL_CODERS', '1.5', /takes a whole number/],
  ['FORGE_MAX_PARALLEL_CODERS', '99', /from 1 to 32, not 99/],
  ['FORGE_DEPLOY__APPROVAL', 'maybe', /deploy\.approval takes true or false, not "maybe"/],
  ['FORGE_SANDBOX__BACKEND', 'dokcer', /one of auto, .*Did you mean docker\?/],
  ['FORGE_RUNTIME', '{', /runtime takes a block with/],
  ['FORGE_AGENTS__1__MODEL', 'x', /"1" cannot be a name here/],
  [
    'FORGE_PROXY__PROFILES__WORK__PORT',
    '1',
    /proxy\.profiles\.work is taken as a whole.*FORGE_PROXY__PROFILES__WORK\./,
  ],
];

for (const [name, text, fault] of wrong) {
  test(`${name}=${text} is refused by its name`, () => {
    const [first = ''] = read({ [name]: text }).faults;
    assert.ok(first.startsWith(`${name}: `), first);
    assert.match(first, fault);
  });
}

test('a variable nobody reads is told of, with the nearest that somebody does', () => {
  const { notices } = read({
    FORGE_MODLE: 'x',
    FORGE_AGENTS__CODER__MODLE: 'x',
    FORGE_PROXY_API_KYE: 'x',
    FORGE_XYZZY: 'x',
  });
  assert.equal(notices.length, 4);
  assert.match(notices[0] ?? '', /^FORGE_AGENTS__CODER__MODLE .*mean FORGE_AGENTS__CODER__MODEL\?/);
  assert.match(notices[1] ?? '', /^FORGE_MODLE .*Did you mean FORGE_MODEL\?/);
  assert.match(notices[2] ?? '', /Did you mean FORGE_PROXY_API_KEY\?/);
  assert.match(notices[3] ?? '', /^FORGE_XYZZY is set, and no setting is called so\. See/);
});

test('variables that others read, or that the settings name, are left alone', () => {
  const { value, notices } = read(
    {
      FORGE_BACKEND_API_KEY: 'k',
      FORGE_PROXY_API_KEY: 'k',
      FORGE_BACKEND_ADDRESSES: 'http://a',
      FORGE_ORCHESTRATOR: 'h:1',
      FORGE_LOG_LEVEL: 'debug',
      FORGE_NO_DURABLE: '1',
      FORGE_WORK_KEY: 'k',
      FORGE_MODEL: ' ',
    },
    { proxy: { profiles: { a: { apiKeyEnv: 'FORGE_WORK_KEY' } } } },
  );
  assert.deepEqual([value, notices], [{}, []]);
});

test('a name of the user is the one the files have, whatever its letters', () => {
  const { value } = read({ FORGE_AGENTS__MY_AGENT__MODEL: 'x:y' }, { agents: { 'my-Agent': {} } });
  assert.deepEqual(value, { agents: { 'my-Agent': { model: 'x:y' } } });
});

test('the more exact variable wins over the block', () => {
  const { value, placeOf } = read({
    FORGE_DEPLOY: '{"target":"docker","approval":true}',
    FORGE_DEPLOY__TARGET: 'process',
  });
  assert.deepEqual(value, { deploy: { approval: true, target: 'process' } });
  assert.equal(placeOf(['deploy', 'approval']), 'FORGE_DEPLOY');
});

/** Every path the schema names, with `x` for names of the user's own. */
function paths(node: JsonValue | undefined, path: readonly string[] = []): readonly string[][] {
  if (!isJsonObject(node)) return [];
  const choices = Array.isArray(node.anyOf) ? node.anyOf : [node];
  const below = choices.flatMap((choice) => {
    if (!isJsonObject(choice)) return [];
    const { properties, additionalProperties } = choice;
    return [
      ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, child]) =>
        paths(child, [...path, key]),
      ),
      ...paths(additionalProperties, [...path, 'x']),
    ];
  });
  return [...(path.length > 0 ? [[...path]] : []), ...below];
}

test('every path of the schema has a variable, and the variable leads back to it', () => {
  const all = paths(settingsJsonSchema());
  assert.ok(all.length > 100);
  for (const path of all) {
    assert.deepEqual(pathOf(variableOf(path), {}), { path }, variableOf(path));
  }
});

test('property: whatever the environment holds, it is read or told of', () => {
  const name = fc
    .array(fc.constantFrom('AGENTS', 'CODER', 'MODEL', '_', '__', 'DEPLOY', 'CONFIG', 'X', '1'), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => `FORGE_${parts.join('')}`);
  fc.assert(
    fc.property(fc.dictionary(name, fc.string(), { maxKeys: 5 }), (environment) => {
      const { faults, notices } = read(environment);
      for (const line of [...faults, ...notices]) assert.match(line, /^FORGE_/);
    }),
  );
});
