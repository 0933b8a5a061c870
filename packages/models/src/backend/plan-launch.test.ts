import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ForgeError } from '@forge/core';
import type { BackendOptions } from './backend-options.ts';
import { planLaunch } from './plan-launch.ts';

const folder = mkdtempSync(join(tmpdir(), 'forge-launch-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const model = join(folder, 'm.gguf');
writeFileSync(model, '');

const args = (options: BackendOptions) =>
  planLaunch(options, '/bin/server').argsFor(8080).join(' ');

test('llama-server with its defaults', () => {
  assert.equal(
    args({ kind: 'llamaserver', model }),
    `-m ${model} --jinja -ngl 999 --host 127.0.0.1 --port 8080`,
  );
});

test('llama-server with everything set; extra flags come last', () => {
  const options: BackendOptions = {
    kind: 'llamaserver',
    model,
    contextLength: 8192,
    kvCache: { key: 'q8_0', value: 'q4_0' },
    parallel: 4,
    jinja: false,
    gpuLayers: 20,
    host: '0.0.0.0',
    extraFlags: ['-fa', 'on'],
  };
  const rest = '--cache-type-k q8_0 --cache-type-v q4_0 --parallel 4';
  const listen = '-ngl 20 --host 0.0.0.0 --port 8080 -fa on';
  assert.equal(args(options), `-m ${model} -c 32768 ${rest} ${listen}`);
  assert.equal(
    args({ ...options, kvUnified: true }),
    `-m ${model} -c 8192 ${rest} --kv-unified ${listen}`,
    'a unified cache is not divided among the slots',
  );
});

test('llamafile', () => {
  assert.equal(
    args({ kind: 'llamafile', model }),
    `--server --nobrowser -m ${model} -ngl 999 --host 127.0.0.1 --port 8080`,
  );
});

test('vLLM takes a name from the hub', () => {
  assert.equal(
    args({ kind: 'vllm', model: 'Qwen/Qwen3-8B', contextLength: 4096, parallel: 8 }),
    'serve Qwen/Qwen3-8B --max-model-len 4096 --max-num-seqs 8 --host 127.0.0.1 --port 8080',
  );
});

test('Ollama is told by variables', () => {
  const launch = planLaunch(
    {
      kind: 'ollama',
      contextLength: 4096,
      parallel: 2,
      kvCache: { key: 'q8_0', value: 'q8_0' },
      variables: { OLLAMA_MODELS: '/models' },
    },
    '/bin/ollama',
  );
  assert.deepEqual(launch.argsFor(11434), ['serve']);
  assert.deepEqual(launch.variablesFor(11434), {
    OLLAMA_FLASH_ATTENTION: '1',
    OLLAMA_CONTEXT_LENGTH: '4096',
    OLLAMA_KV_CACHE_TYPE: 'q8_0',
    OLLAMA_NUM_PARALLEL: '2',
    OLLAMA_HOST: '127.0.0.1:11434',
    OLLAMA_MODELS: '/models',
  });
});

test('a launch is known by everything but the port it was given by chance', () => {
  const options: BackendOptions = { kind: 'llamaserver', model };
  const id = (more: Partial<BackendOptions>, binary = '/bin/a') =>
    planLaunch({ ...options, ...more }, binary).id;
  assert.equal(id({}), id({}));
  const others = [
    id({ port: 8080 }),
    id({ contextLength: 1 }),
    id({ extraFlags: ['-v'] }),
    id({ variables: { A: '1' } }),
    id({ host: '::1' }),
    id({}, '/bin/b'),
  ];
  assert.equal(new Set([id({}), ...others]).size, others.length + 1);
});

const wrong: readonly (readonly [string, BackendOptions, RegExp])[] = [
  ['no model', { kind: 'llamaserver' }, /llamaserver needs a "model"/],
  ['no such file', { kind: 'llamafile', model: '/nowhere.gguf' }, /no model file \/nowhere\.gguf/],
  ['a model for Ollama', { kind: 'ollama', model: 'qwen3' }, /leave out "model"/],
  [
    'half a context',
    { kind: 'llamaserver', model, contextLength: 0.5 },
    /contextLength is a whole/,
  ],
  ['no slots', { kind: 'llamaserver', model, parallel: 0 }, /parallel is a whole number/],
  [
    'what vLLM cannot do',
    { kind: 'vllm', model: 'm', kvUnified: true },
    /vllm has no way to set kvUnified/,
  ],
  [
    'two cache types for Ollama',
    { kind: 'ollama', kvCache: { key: 'q8_0', value: 'f16' } },
    /ollama has no way to set kvCacheValue/,
  ],
];
for (const [name, options, message] of wrong) {
  test(`${name} is an error`, () => {
    assert.throws(
      () => planLaunch(options, '/bin/server'),
      (error) => ForgeError.is(error, 'invalid_options') && message.test(error.message),
    );
  });
}
