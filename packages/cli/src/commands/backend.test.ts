import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/forge.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'forge-cli-backend-'));
const model = join(folder, 'model.gguf');
writeFileSync(model, 'GGUF');

/** A server that answers what llama-server would be asked at the start. */
const binary = join(folder, 'llama-server');
writeFileSync(
  binary,
  `#!${process.execPath}
const args = process.argv.slice(2);
if (args.includes('--fail')) { console.error('no such layer'); process.exit(3); }
console.log('flags: ' + args.join(' '));
const body = JSON.stringify({ default_generation_settings: { n_ctx: 512 } });
require('node:http').createServer((_, response) => response.end(body))
  .listen(Number(args[args.indexOf('--port') + 1]), '127.0.0.1');
`,
  { mode: 0o755 },
);

/** The real command, with a home of its own. */
function forge(...args: string[]) {
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), NO_COLOR: '1' };
  const command = [launcher, 'backend', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

after(() => {
  const { stdout } = forge('status', '--json');
  const known: unknown = JSON.parse(stdout);
  if (Array.isArray(known)) for (const { id } of known) forge('stop', id);
  rmSync(folder, { recursive: true, force: true });
});

test('starts a server, finds it again, shows it, shows its log, stops it', () => {
  const first = forge('start', model, '--binary', binary, '--json', '--', '--threads', '3');
  assert.deepEqual([first.status, first.stderr], [0, '']);
  const { id, url, reused, contextLength } = JSON.parse(first.stdout);
  assert.deepEqual([reused, contextLength], [false, 512]);

  const again = forge('start', model, '--binary', binary, '--', '--threads', '3');
  assert.equal(again.status, 0);
  assert.ok(again.stdout.startsWith(`${id} runs already at ${url}\ncontext: 512 tokens\n`));

  const status = forge('status');
  assert.equal(status.stdout, `${id}  ready  ${url}  ${model}\n`);
  const logs = forge('logs', 'llamaserver', '--lines', '5');
  assert.match(logs.stdout, /^flags: -m .* --threads 3\n$/);

  const stopped = forge('stop', id);
  assert.deepEqual([stopped.status, stopped.stdout], [0, `${id} is stopped.\n`]);
  assert.match(forge('status').stdout, /^No backend is running\. Start one: /);
  assert.match(forge('status', '--all').stdout, /stopped/);
});

test('says why a server did not start, with the end of its log', () => {
  const { status, stderr } = forge('start', model, '--binary', binary, '--', '--fail');
  assert.equal(status, 1);
  assert.match(stderr, /forge: The backend llamaserver-\w+ did not start: .* ended with code 3/);
  assert.match(stderr, /no such layer/);
  const failed = forge('status');
  assert.match(failed.stdout, /failed .*\n {2}.*ended with code 3/);
});

test('says what is wrong with what was asked for', () => {
  const missing = forge('start', '/nowhere.gguf', '--binary', binary);
  assert.deepEqual(
    [missing.status, missing.stderr.includes('no model file /nowhere.gguf')],
    [1, true],
  );
  const unknown = forge('stop', 'nothing');
  assert.match(unknown.stderr, /There is no backend "nothing"\. There are: /);
  const usage = forge('start', model, '--context', 'much');
  assert.deepEqual(
    [usage.status, usage.stderr.includes('a whole number, such as 8192')],
    [2, true],
  );
});

test('the help has examples', () => {
  const { status, stdout } = forge('--help');
  assert.equal(status, 0);
  assert.match(stdout, /forge backend start models\/qwen3-8b-q4_k_m\.gguf --context 16384/);
});
