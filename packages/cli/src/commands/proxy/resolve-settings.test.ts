import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../config.ts';
import { parseProjectFile } from '../../project/read-project-file.ts';
import { UsageError } from '../../usage-error.ts';
import { backendPlace } from './backend-place.ts';
import { chooseProfile } from './choose-profile.ts';
import type { ProxyFlags } from './flags.ts';
import { resolveSettings } from './resolve-settings.ts';

function settings(
  flags: ProxyFlags = {},
  { profile = '{}', environment = {}, serverFlags = [] as string[] } = {},
) {
  const file = parseProjectFile(
    '/project/forge.yaml',
    `proxy: { default: p, profiles: { p: ${profile} } }`,
  );
  return resolveSettings({
    flags,
    serverFlags,
    profile: chooseProfile([file], undefined),
    config: readConfig({ HOME: '/home/me', ...environment }),
    cwd: '/here',
  });
}

test('defaults: loopback, 8081, one worker, nothing remembered, the backend looked for', () => {
  const { host, port, workers, sessions, learn, place, serialize } = settings();
  assert.deepEqual(
    { host, port, workers, sessions, learn, place, serialize },
    {
      host: '127.0.0.1',
      port: 8081,
      workers: 1,
      sessions: false,
      learn: undefined,
      place: { type: 'look' },
      serialize: undefined,
    },
  );
});

test('flags win over the profile, one by one', () => {
  const profile = `{ port: 1, host: '::1', sessions: true, serialize: true, workers: 4,
    guard: { maxRetries: 1, constrain: off, switches: { rescue: false, repairs: false } },
    limits: { bodyBytes: 1KiB, queue: 3, heartbeat: 0.5 } }`;
  const kept = settings({}, { profile });
  assert.deepEqual([kept.port, kept.host, kept.sessions, kept.serialize], [1, '::1', true, true]);
  assert.deepEqual(kept.guard, {
    maxRetries: 1,
    constrain: 'off',
    switches: { rescue: false, repairs: false },
  });
  assert.deepEqual(kept.limits, { bodyBytes: 1024, queue: 3, heartbeat: 500 });
  const changed = settings(
    { port: 2, sessions: false, serialize: 3, rescue: true, maxRetries: 0, maxBody: 9 },
    { profile },
  );
  assert.deepEqual([changed.port, changed.sessions, changed.serialize], [2, false, 3]);
  assert.deepEqual(changed.guard.switches, { rescue: true, repairs: false });
  assert.equal(changed.guard.maxRetries, 0);
  assert.equal(changed.limits.bodyBytes, 9);
});

test('keys: flag over environment over the variable a profile names', () => {
  const profile = '{ apiKeyEnv: A, backend: { url: "http://127.0.0.1:9", apiKeyEnv: B } }';
  const named = { A: 'a', B: 'b' };
  const own = { FORGE_PROXY_API_KEY: 'pa', FORGE_BACKEND_API_KEY: 'pb' };
  const keys = (flags: ProxyFlags, environment: Record<string, string>) => {
    const { apiKey, backendApiKey } = settings(flags, { profile, environment });
    return [apiKey, backendApiKey];
  };
  assert.deepEqual(keys({}, named), ['a', 'b']);
  assert.deepEqual(keys({}, { ...named, ...own }), ['pa', 'pb']);
  assert.deepEqual(keys({ apiKey: 'fa', backendApiKey: 'fb' }, own), ['fa', 'fb']);
});

test('no key goes to an address that only a project names, unless it is said again', () => {
  const url = 'https://elsewhere.example/v1';
  const profile = `{ backend: { url: "${url}", apiKeyEnv: B } }`;
  const environment = { B: 'b' };
  assert.throws(() => settings({}, { profile, environment }), /send your key to elsewhere.example/);
  const confirmed = settings({ backendUrl: url }, { profile, environment });
  assert.equal(confirmed.backendApiKey, 'b');
  assert.equal(
    settings({}, { profile: `{ backend: { url: "${url}" } }` }).backendApiKey,
    undefined,
  );
});

test("a backend that flags name gets nothing of the profile's", () => {
  const profile =
    '{ backend: { url: "https://paid.example", wire: gemini, model: m, apiKeyEnv: PAID, tools: prompt, timeout: 9 } }';
  const environment = { PAID: 'secret' };
  const { place, backendApiKey, wire, model, tools, backendTimeout } = settings(
    { backendUrl: 'http://127.0.0.1:1' },
    { profile, environment },
  );
  assert.deepEqual(place, { type: 'at', url: 'http://127.0.0.1:1', kind: undefined });
  assert.deepEqual(
    [backendApiKey, wire, model, tools, backendTimeout],
    [undefined, undefined, undefined, undefined, undefined],
  );
});

test('what was learned is kept in the state folder, or where it is told to', () => {
  assert.equal(settings({ learn: true }).learn, '/home/me/.local/state/forge/proxy/lessons.json');
  assert.equal(settings({ learn: 'x.json' }).learn, '/here/x.json');
  assert.equal(settings({}, { profile: '{ learn: x.json }' }).learn, '/project/x.json');
  assert.equal(settings({ learn: false }, { profile: '{ learn: true }' }).learn, undefined);
});

test('paths in a profile begin at its file; flags for the server add up', () => {
  const profile = '{ backend: { gguf: m.gguf, flags: [-a], budgetTokens: 100 } }';
  assert.deepEqual(settings({}, { profile, serverFlags: ['-b'] }).place, {
    type: 'start',
    kind: 'llamaserver',
    model: '/project/m.gguf',
    port: undefined,
    context: { mode: 'manual', tokens: 100 },
    flags: ['-a', '-b'],
  });
  const fast = settings({ budgetMode: 'forge-fast' }, { profile }).place;
  assert.deepEqual(fast.type === 'start' && fast.context, { mode: 'forge-fast' });
});

const places: readonly (readonly [Parameters<typeof backendPlace>[0], object])[] = [
  [
    { folder: '/', kind: 'ollama' },
    { type: 'at', url: 'http://127.0.0.1:11434', kind: 'ollama' },
  ],
  [
    { folder: '/', kind: 'llamaserver', port: 9 },
    { type: 'at', url: 'http://127.0.0.1:9', kind: 'llamaserver' },
  ],
  [
    { folder: '/', kind: 'anthropic' },
    { type: 'at', url: 'https://api.anthropic.com', kind: 'anthropic' },
  ],
  [{ folder: '/', kind: 'vllm', model: 'org/model' }, start({ kind: 'vllm', model: 'org/model' })],
  [
    { folder: '/m', kind: 'vllm', modelPath: './here', model: 'name' },
    start({ kind: 'vllm', model: '/m/here' }),
  ],
  [
    { folder: '/m', kind: 'llamafile', model: 'a.gguf' },
    start({ kind: 'llamafile', model: 'a.gguf' }),
  ],
  [{ folder: '/m', modelPath: 'a.gguf' }, start({ kind: 'llamaserver', model: '/m/a.gguf' })],
];

function start(what: { kind: string; model: string }) {
  return { type: 'start', port: undefined, context: { mode: 'backend' }, flags: [], ...what };
}

for (const [said, place] of places) {
  test(`the backend of ${JSON.stringify(said)}`, () => {
    assert.deepEqual(backendPlace(said), place);
  });
}

test('a profile that is not there names the nearest', () => {
  const file = parseProjectFile('/p/forge.yaml', 'proxy: { profiles: { work: {}, home: {} } }');
  assert.throws(
    () => chooseProfile([file], 'wrok'),
    (error) =>
      error instanceof UsageError && /Did you mean work\? .*work, home/.test(error.message),
  );
  assert.equal(chooseProfile([file], undefined), undefined);
});

test('the profile of the project wins over that of the user', () => {
  const project = parseProjectFile('/p/forge.yaml', 'proxy: { profiles: { a: { port: 1 } } }');
  const user = parseProjectFile(
    '/u/config.yaml',
    'proxy: { default: a, profiles: { a: { port: 2 }, b: {} } }',
  );
  assert.equal(chooseProfile([project, user], undefined)?.values.port, 1);
  assert.equal(chooseProfile([project, user], 'b')?.file, '/u/config.yaml');
});
