import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { findBinary } from './find-binary.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'forge-binary-')));
after(() => rmSync(folder, { recursive: true, force: true }));

function program(path: string, mode = 0o755): string {
  const full = join(folder, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, '#!/bin/sh\n', { mode });
  return full;
}

const searchPath = ['', '/nowhere', join(folder, 'a'), join(folder, 'b')].join(delimiter);

test('finds the usual name on the path; folders and plain files do not count', async () => {
  program('a/llama-server', 0o644);
  mkdirSync(join(folder, 'a/vllm'));
  const llama = program('b/llama-server');
  const vllm = program('b/vllm');
  assert.equal(await findBinary({ kind: 'llamaserver', searchPath }), llama);
  assert.equal(await findBinary({ kind: 'vllm', searchPath }), vllm);
});

test('takes the one that is named, by path or by name', async () => {
  const own = program('own/server');
  const named = program('b/my-llama');
  assert.equal(await findBinary({ kind: 'llamaserver', binary: own, searchPath }), own);
  assert.equal(await findBinary({ kind: 'llamaserver', binary: 'my-llama', searchPath }), named);
  const missing = findBinary({ kind: 'llamaserver', binary: '/no/such', searchPath });
  await assert.rejects(missing, /There is no program \/no\/such that can be run/);
});

test('prefers the newest llamafile beside the model', async () => {
  program('models/llamafile-0.9.3');
  const newest = program('models/llamafile-0.10.0');
  program('models/llamafile-0.11.0', 0o644);
  const onPath = program('b/llamafile');
  const model = join(folder, 'models/m.gguf');
  assert.equal(await findBinary({ kind: 'llamafile', model, searchPath }), newest);
  const elsewhere = join(folder, 'a/m.gguf');
  assert.equal(await findBinary({ kind: 'llamafile', model: elsewhere, searchPath }), onPath);
});

test('says what to install when there is none', async () => {
  const missing = findBinary({ kind: 'ollama', searchPath });
  await assert.rejects(missing, /ollama was not found on PATH\. Get Ollama .*give its path/);
});
