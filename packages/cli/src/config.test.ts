import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

const colors: readonly (readonly [Record<string, string>, boolean | undefined])[] = [
  [{}, undefined],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '' }, undefined],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: '' }, true],
  [{ FORCE_COLOR: '0' }, false],
  [{ FORCE_COLOR: 'false' }, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  [{ TERM: 'dumb' }, false],
  [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
];

for (const [environment, color] of colors) {
  test(`colours with ${JSON.stringify(environment)}: ${color}`, () => {
    assert.equal(readConfig(environment).color, color);
  });
}

test('takes columns only where they are a number of columns', () => {
  const columns = (COLUMNS: string) => readConfig({ COLUMNS }).columns;
  assert.deepEqual(['100', '0', '-3', '1.5', 'wide', ''].map(columns), [
    100,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('finds the folders of the user by the XDG rules', () => {
  const folders = (environment: Record<string, string>) => {
    const { configFolder, stateFolder } = readConfig(environment);
    return [configFolder, stateFolder];
  };
  assert.deepEqual(folders({ HOME: '/me' }), ['/me/.config/forge', '/me/.local/state/forge']);
  assert.deepEqual(folders({ HOME: '/me', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }), [
    '/c/forge',
    '/s/forge',
  ]);
});

test('a blank variable is one that is not set', () => {
  const { proxyApiKey, backendApiKey, variable } = readConfig({
    FORGE_PROXY_API_KEY: ' ',
    FORGE_BACKEND_API_KEY: ' key ',
    OTHER: '',
  });
  assert.deepEqual([proxyApiKey, backendApiKey, variable('OTHER')], [undefined, 'key', undefined]);
});

test('reads addresses separated by commas', () => {
  const addresses = (list?: string) =>
    readConfig({ FORGE_BACKEND_ADDRESSES: list }).backendAddresses;
  assert.deepEqual(addresses('http://a:1, http://b:2,,nonsense'), ['http://a:1', 'http://b:2']);
  assert.equal(addresses(), undefined);
});

test('lists the variables that are set, by how they begin', () => {
  const { variablesWith } = readConfig({ FORGE_B: '1', FORGE_A: 'x', FORGE_C: ' ', OTHER: '1' });
  assert.deepEqual(variablesWith('FORGE_'), ['FORGE_A', 'FORGE_B']);
});
