import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { codex } from './codex.ts';
import type { CodingClient } from './coding-client.ts';
import { installClient } from './install-client.ts';
import { opencode } from './opencode.ts';

async function cacheWith(t: TestContext, client: CodingClient, files: readonly string[]) {
  const cache = await mkdtemp(join(tmpdir(), 'forge-cache-'));
  t.after(() => rm(cache, { recursive: true }));
  const folder = join(cache, 'clients', `${client.name}-${client.version}`);
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  return { cache, folder };
}

describe('installClient', () => {
  it('finds a program that is there already, the plain build first', async (t) => {
    const plain = 'node_modules/opencode-linux-x64/bin/opencode';
    const files = ['node_modules/opencode-linux-x64-baseline/bin/opencode', plain];
    const { cache, folder } = await cacheWith(t, opencode, files);
    assert.deepEqual(await installClient(opencode, cache), [join(folder, plain)]);
  });

  it('runs a script with this node', async (t) => {
    const script = 'node_modules/@openai/codex/bin/codex.js';
    const { cache, folder } = await cacheWith(t, codex, [script]);
    assert.deepEqual(await installClient(codex, cache), [process.execPath, join(folder, script)]);
  });
});
