import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/forge.js', import.meta.url));
const esc = '\u001b';

function demo(args: readonly string[], env: Record<string, string> = {}) {
  const { FORCE_COLOR: _, NO_COLOR: __, ...inherited } = process.env;
  return spawnSync(process.execPath, [bin, 'demo', 'guardrails', ...args], {
    env: { ...inherited, ...env },
    encoding: 'utf8',
  });
}

test('brings the clumsy model to the end', () => {
  const { status, stdout, stderr } = demo([]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^completed/m);
  assert.equal(stdout.includes(esc), false, 'no colours in a pipe');
});

test('--json prints one event per line, dense and in order', () => {
  const { stdout } = demo(['--json']);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  assert.equal(events[0].type, 'run.started');
  assert.equal(events.at(-1).status, 'completed');
});

test('colours follow the environment, and --no-color wins', () => {
  assert.ok(demo([], { FORCE_COLOR: '1' }).stdout.includes(`${esc}[`));
  assert.equal(demo([], { NO_COLOR: '1' }).stdout.includes(esc), false);
  assert.equal(demo(['--no-color'], { FORCE_COLOR: '1' }).stdout.includes(esc), false);
});

test('stays within the columns it is given', () => {
  const { stdout } = demo([], { COLUMNS: '60' });
  for (const line of stdout.split('\n')) assert.ok(line.length <= 60, line);
});

test('ends quietly when nobody reads on', async () => {
  const child = spawn(process.execPath, [bin, 'demo', 'guardrails', '--delay', '5'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  child.stdout.destroy();
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(complaints, '');
});

test('Ctrl-C ends it with 130', async () => {
  const child = spawn(process.execPath, [bin, 'demo', 'guardrails', '--delay', '300'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [130, null]);
});
