import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/forge.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'forge-cli-sandbox-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, 'a token that only tests know\n');
const env = { ...process.env, NO_COLOR: '1', FORGE_TEST_SECRET: 'must not be seen' };

after(() => rmSync(folder, { recursive: true, force: true }));

function forge(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const inMemory = ['sandbox', 'run', '--backend', 'memory'];

test('runs a command, shows what it prints, and ends as it ends', () => {
  const script = 'echo out; echo err >&2; exit 7';
  const ran = forge(...inMemory, '--', 'sh', '-c', script);
  assert.deepEqual(ran, { status: 7, stdout: 'out\n', stderr: 'err\n' });
});

test('prints nothing of a command that a terminal would obey, also not in a problem', () => {
  const script = 'printf "env: \\033]0;x\\007 execut\\n" >&2; exit 127';
  const run = ['sandbox', 'run', '--backend', 'bubblewrap', '--', 'sh', '-c', script];
  const problem = forge(...run)
    .stderr.split('\n')
    .find((line) => line.startsWith('forge: '));
  assert.match(problem ?? '', /execut/);
  assert.ok(!problem?.includes('\x1b'));
});

test('passes on variables that are named, and no others', () => {
  const ran = forge(...inMemory, '--env', 'A=1 2', '--env', 'B==', '--', 'env');
  assert.match(ran.stdout, /^A=1 2$/m);
  assert.match(ran.stdout, /^B==$/m);
  assert.doesNotMatch(ran.stdout, /must not be seen/);
});

test('says why a command was not started, and when its time was over', () => {
  const missing = forge(...inMemory, '--', 'no-such-program');
  assert.equal(missing.status, 127);
  assert.match(missing.stderr, /no-such-program/);
  const late = forge(...inMemory, '--timeout', '0.2', '--', 'sleep', '600');
  assert.equal(late.status, 124);
  assert.match(late.stderr, /ended after 200 ms/);
});

test('gives the result as JSON', () => {
  const ran = forge(...inMemory, '--json', '--', 'sh', '-c', 'echo hi; exit 3');
  const { end, exitCode, stdout } = JSON.parse(ran.stdout);
  assert.deepEqual([end, exitCode, stdout], [{ type: 'exited', code: 3 }, 3, 'hi\n']);
  assert.equal(ran.status, 3);
});

test('refuses flags that make no sense', () => {
  for (const flags of [
    ['--network', 'some'],
    ['--env', 'nothing'],
    ['--memory', 'lots'],
    ['--backend', 'chroot'],
  ]) {
    assert.equal(forge('sandbox', 'run', ...flags, '--', 'true').status, 2, flags.join(' '));
  }
  const nowhere = forge('sandbox', 'run', '--backend', 'remote', '--', 'true');
  assert.equal(nowhere.status, 2);
  assert.match(nowhere.stderr, /--orchestrator/);
});

test('serves sandboxes to another process until it is told to stop', async () => {
  const server = spawn(
    process.execPath,
    [
      ...[launcher, 'orchestrator', '--listen', '127.0.0.1:0', '--backend', 'memory'],
      ...['--token-file', tokenFile, '--json', '--log-level', 'info'],
    ],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  try {
    const { address, backend } = JSON.parse(await firstLine(server));
    assert.equal(backend, 'memory');
    const remote = ['sandbox', 'run', '--backend', 'remote', '--orchestrator', address];
    const ran = forge(...remote, '--token-file', tokenFile, '--', 'sh', '-c', 'echo far; exit 5');
    assert.deepEqual(ran, { status: 5, stdout: 'far\n', stderr: '' });
    const stranger = forge(...remote, '--', 'true');
    assert.equal(stranger.status, 1);
    assert.match(stranger.stderr, /token/i);
    server.kill('SIGTERM');
    const [code] = await once(server, 'exit');
    assert.equal(code, 0);
  } finally {
    server.kill('SIGKILL');
  }
});

test('does not listen to the world without TLS and token', () => {
  const ran = forge('orchestrator', '--backend', 'memory', '--listen', '0.0.0.0:0');
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /TLS and a token/);
  const half = forge('orchestrator', '--backend', 'memory', '--tls-cert', tokenFile);
  assert.equal(half.status, 2);
  const ca = forge('orchestrator', '--backend', 'memory', '--tls-client-ca', tokenFile);
  assert.deepEqual([ca.status, /--tls-cert/.test(ca.stderr)], [2, true]);
  assert.equal(forge('orchestrator', '--log-level', 'loud').status, 2);
});

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) return line;
  return assert.fail('it printed nothing');
}
