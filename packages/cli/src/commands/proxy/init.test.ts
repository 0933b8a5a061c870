import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startScriptedServer } from '@forge/models/testing';
import { parse } from 'yaml';
import { forge, temporaryFolder } from './forge.test.ts';

async function withServer(t: TestContext) {
  const server = await startScriptedServer({ wire: 'openai-chat', script: [], model: 'qwen' });
  t.after(() => server.close());
  return server;
}

const nobody = { FORGE_BACKEND_ADDRESSES: 'http://127.0.0.1:9' };

function read(folder: string, file = 'forge.yaml'): string {
  return readFileSync(join(folder, file), 'utf8');
}

test('asks, writes a profile, and says how to run it', async (t) => {
  const server = await withServer(t);
  using folder = temporaryFolder();
  const { code, stdout } = await forge(['proxy', 'init'], {
    cwd: folder.path,
    environment: { FORGE_BACKEND_ADDRESSES: server.url },
    answers: ['', 'y', 'home'],
  });
  assert.equal(code, 0, stdout);
  assert.ok(stdout.includes(`1  llama-server at ${server.url}, qwen`), stdout);
  assert.deepEqual(parse(read(folder.path)), {
    proxy: {
      default: 'home',
      profiles: {
        home: { backend: { url: server.url, kind: 'llamaserver' }, sessions: true },
      },
    },
  });
  assert.match(stdout, /Try it: {2}forge proxy check\nRun it: {2}forge proxy\n$/);
});

test('asks again where an answer makes no sense', async () => {
  using folder = temporaryFolder({
    'forge.yaml': 'proxy: { profiles: { taken: {} } }\n',
    'model.gguf': 'GGUF',
  });
  const { code, stdout } = await forge(['proxy', 'init'], {
    cwd: folder.path,
    environment: nobody,
    answers: ['9', '2', 'nowhere.gguf', 'model.gguf', 'perhaps', 'n', 'a b', 'taken', ''],
  });
  assert.equal(code, 0, stdout);
  for (const complaint of [
    /No model server answers at the usual addresses/,
    /Answer with a number from 1 to 2/,
    /There is no nowhere\.gguf/,
    /Answer with y or n/,
    /Use letters, digits/,
    /There is a profile "taken"/,
  ]) {
    assert.match(stdout, complaint);
  }
  assert.deepEqual(parse(read(folder.path)).proxy.profiles.llamaserver, {
    backend: { kind: 'llamaserver', gguf: 'model.gguf' },
  });
});

test('asks for the address of a server that was not found', async () => {
  using folder = temporaryFolder();
  await forge(['proxy', 'init'], {
    cwd: folder.path,
    environment: nobody,
    answers: ['1', 'gpu:8080', 'http://gpu.example:8080', '', ''],
  });
  assert.deepEqual(parse(read(folder.path)).proxy.profiles, {
    local: { backend: { url: 'http://gpu.example:8080' } },
  });
});

test('says so when the answers end', async () => {
  using folder = temporaryFolder();
  const { code, stderr } = await forge(['proxy', 'init'], {
    cwd: folder.path,
    environment: nobody,
    answers: ['1'],
  });
  assert.equal(code, 1);
  assert.match(stderr, /ended before all was answered.*--non-interactive/);
  assert.equal(existsSync(join(folder.path, 'forge.yaml')), false);
});

test('--non-interactive takes flags, and keeps what is in the file', async () => {
  const before = `# our proxy
proxy:
  # the usual one
  default: old
  profiles:
    old: # of long ago
      backend: { url: 'http://127.0.0.1:8080' } # the big machine

      port: 9000
# the end
`;
  using folder = temporaryFolder({ 'forge.yaml': before });
  const { code, stdout } = await forge(
    [
      ...['proxy', 'init', '--non-interactive', '--backend', 'ollama', '--model', 'qwen3:8b'],
      ...['--sessions', '--port', '9001', '--backend-api-key-env', 'MY_KEY'],
    ],
    { cwd: folder.path },
  );
  assert.equal(code, 0);
  const after = read(folder.path);
  for (const comment of before.match(/#.*/g) ?? []) assert.ok(after.includes(comment), comment);
  assert.deepEqual(parse(after).proxy.profiles.old, parse(before).proxy.profiles.old);
  assert.equal(parse(after).proxy.default, 'old');
  assert.deepEqual(parse(after).proxy.profiles.ollama, {
    backend: { kind: 'ollama', model: 'qwen3:8b', apiKeyEnv: 'MY_KEY' },
    port: 9001,
    sessions: true,
  });
  assert.match(stdout, /Run it: {2}forge proxy --profile ollama\n/);
});

test('replaces a profile only with --force', async () => {
  using folder = temporaryFolder({
    'forge.yaml': 'proxy: { default: a, profiles: { a: { port: 1 } } }\n',
  });
  const args = ['proxy', 'init', '--non-interactive', '--profile', 'a', '--backend', 'ollama'];
  const refused = await forge(args, { cwd: folder.path });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /There is a profile "a".*--force/);
  assert.equal(parse(read(folder.path)).proxy.profiles.a.port, 1);
  assert.equal((await forge([...args, '--force'], { cwd: folder.path })).code, 0);
  assert.deepEqual(parse(read(folder.path)).proxy.profiles.a, { backend: { kind: 'ollama' } });
});

test('does not touch a file it does not understand', async () => {
  using folder = temporaryFolder({ 'forge.yaml': 'proxy: [\n' });
  const { code, stderr } = await forge(
    ['proxy', 'init', '--non-interactive', '--backend', 'ollama'],
    { cwd: folder.path },
  );
  assert.equal(code, 1);
  assert.match(stderr, /forge\.yaml:\d+:\d+: /);
  assert.equal(read(folder.path), 'proxy: [\n');
});

test('--non-interactive without a server to be found ends with 1', async () => {
  using folder = temporaryFolder();
  const { code, stderr } = await forge(['proxy', 'init', '--non-interactive'], {
    cwd: folder.path,
    environment: nobody,
  });
  assert.equal(code, 1);
  assert.match(stderr, /No model server was found.*--backend-url/);
});

test('writes at the root of the repository, or where it is told to', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, '.git'));
  mkdirSync(join(folder.path, 'deep'));
  const args = ['proxy', 'init', '--non-interactive', '--backend', 'ollama'];
  await forge(args, { cwd: join(folder.path, 'deep') });
  assert.ok(existsSync(join(folder.path, 'forge.yaml')));
  const own = join('home', '.config', 'forge', 'config.yaml');
  const { stdout } = await forge([...args, '--config', own], { cwd: folder.path });
  assert.match(read(folder.path, own), /kind: ollama/);
  assert.ok(stdout.includes(`forge proxy --config ${own}\n`), stdout);
});
