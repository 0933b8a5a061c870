import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { calls } from '@forge/core/testing';
import { startScriptedServer } from '@forge/models/testing';
import { temporaryFolder } from './forge.test.ts';

const launcher = fileURLToPath(new URL('../../../bin/forge.js', import.meta.url));

/** The real program, as a process. Killed at the end of the test if it has not ended. */
function spawnForge(t: TestContext, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [launcher, 'proxy', ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  const lines: string[] = [];
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => lines.push(line));
  const ended = once(child, 'close').then(([code]) => ({ code, lines, stderr: said }));
  const line = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((one) => pattern.test(one));
      if (found !== undefined) return found;
      const next = await Promise.race([once(output, 'line'), ended]);
      if (!Array.isArray(next)) assert.fail(`it ended with ${next.code}: ${said}`);
    }
  };
  return { child, line, ended };
}

async function ask(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} lets a request finish and ends with 0`, async (t) => {
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const server = await startScriptedServer({
      wire: 'openai-chat',
      script: [
        {
          say: 'Hello.',
          delay: () => {
            asked.resolve();
            return goOn.promise;
          },
        },
      ],
    });
    t.after(() => server.close());
    const { child, line, ended } = spawnForge(t, [
      ...['--backend-url', server.url, '--port', '0', '--json'],
    ]);
    const { url } = JSON.parse(await line(/"started"/));
    const status = ask(url);
    await asked.promise;
    child.kill(signal);
    goOn.resolve();
    assert.equal(await status, 200);
    const { code, lines } = await ended;
    assert.equal(code, 0);
    assert.equal(JSON.parse(lines.at(-1) ?? '').requests, 1);
  });
}

test('--workers shares the work, and counts all of it', async (t) => {
  const server = await startScriptedServer({
    wire: 'openai-chat',
    script: () => calls(['f', {}]),
  });
  t.after(() => server.close());
  const { child, line, ended } = spawnForge(t, [
    ...['--backend-url', server.url, '--port', '0', '--workers', '2', '--json'],
  ]);
  const { url } = JSON.parse(await line(/"started"/));
  assert.deepEqual(await Promise.all([ask(url), ask(url), ask(url)]), [200, 200, 200]);
  child.kill('SIGTERM');
  const { code, lines, stderr } = await ended;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(lines.at(-1) ?? '').requests, 3);
});

/** Answers what llama-server would be asked, and shows its flags as the name of its model. */
const llamaServer = `#!${process.execPath}
const args = process.argv.slice(2);
const pages = {
  '/props': { default_generation_settings: { n_ctx: 2048 }, total_slots: 1 },
  '/v1/models': { data: [{ id: args.join(' ') }] },
};
require('node:http').createServer((request, response) => {
  response.end(JSON.stringify(pages[request.url] ?? { error: 'no' }));
}).listen(Number(args[args.indexOf('--port') + 1]), '127.0.0.1');
`;

test('starts llama-server, asks it one request at a time, and stops it at the end', async (t) => {
  using folder = temporaryFolder({ 'model.gguf': 'GGUF' });
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'llama-server'), llamaServer);
  chmodSync(join(bin, 'llama-server'), 0o755);
  const { child, line, ended } = spawnForge(
    t,
    [
      ...['--gguf', join(folder.path, 'model.gguf'), '--budget-tokens', '2048', '--port', '0'],
      ...['--json', '--', '--threads', '3'],
    ],
    {
      XDG_STATE_HOME: join(folder.path, 'state'),
      PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    },
  );
  const { backend } = JSON.parse(await line(/"started"/));
  assert.deepEqual([backend.kind, backend.contextLength, backend.slots], ['llamaserver', 2048, 1]);
  assert.match(backend.models[0], /-c 2048 .*--parallel 1 .*--threads 3$/);
  assert.equal((await fetch(`${backend.url}/props`)).status, 200);
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Starting llamaserver with .*model\.gguf/);
  await assert.rejects(fetch(`${backend.url}/props`), 'the server is gone');
});
