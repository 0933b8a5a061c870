import assert from 'node:assert/strict';
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../bin/forge.js', import.meta.url));
const rootModules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const oldNode = findOldNode();
const needsOldNode = oldNode === undefined ? 'this machine has no Node older than 24' : false;
const nodes = [
  { name: 'Node 24', node: process.execPath, skip: false },
  { name: 'an older Node', node: oldNode ?? '', skip: needsOldNode },
];

/** The machine's own Node, where it is one that cannot run Forge by itself. */
function findOldNode(): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, 'node');
    if (folder.includes('node_modules') || !existsSync(candidate)) continue;
    const { stdout } = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
    if (Number.parseInt(stdout.slice(1), 10) < 24) return candidate;
  }
  return undefined;
}

function run(node: string, args: readonly string[], options: SpawnOptions = {}) {
  return spawnSync(node, args, { ...options, encoding: 'utf8' });
}

/** Starts the command and waits for its first output; fails if it ends before. */
async function startAndWait(node: string, bin: string): Promise<ChildProcess> {
  const child = spawn(node, [bin], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => assert.fail('it ended before it was ready'));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  return child;
}

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The launcher in a folder of its own, with a main of our making. */
function planted(main: { path: string; text: string }, options: { node: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-launcher-'));
  folders.push(folder);
  const own = join(folder, 'packages', 'cli');
  mkdirSync(join(own, 'bin'), { recursive: true });
  cpSync(launcher, join(own, 'bin', 'forge.js'));
  writeFileSync(join(own, 'package.json'), '{"type":"module"}');
  mkdirSync(join(own, main.path, '..'), { recursive: true });
  writeFileSync(join(own, main.path), main.text);
  if (options.node) {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(rootModules, 'node'), join(folder, 'node_modules', 'node'));
  }
  return join(own, 'bin', 'forge.js');
}

for (const { name, node, skip } of nodes) {
  describe(`forge under ${name}`, { skip }, () => {
    test('runs from the checkout with no build', () => {
      const { status, stdout, stderr } = run(node, [launcher, '--version']);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    });

    test('tells its version without loading anything', () => {
      const bin = planted(
        { path: 'src/main.ts', text: 'throw new Error("loaded");' },
        { node: false },
      );
      writeFileSync(join(bin, '../../package.json'), '{"type":"module","version":"1.2.3"}');
      const { status, stdout } = run(node, [bin, '--version']);
      assert.deepEqual([status, stdout], [0, '1.2.3\n']);
    });

    test('passes the exit code and the message of a wrong command line on', () => {
      const { status, stderr } = run(node, [launcher, 'dmo']);
      assert.equal(status, 2);
      assert.match(stderr, /Did you mean demo\?/);
    });

    test('passes arguments and exit codes through as they are', () => {
      const text = `export function start(): void {
        console.log(JSON.stringify(process.argv.slice(2)));
        process.exitCode = 7;
      }`;
      const bin = planted({ path: 'src/main.ts', text }, { node: true });
      const args = ['a b', '', '--x=*', '"'];
      const { status, stdout } = run(node, [bin, ...args]);
      assert.equal(status, 7);
      assert.deepEqual(JSON.parse(stdout), args);
    });

    test('reads from the standard input', () => {
      const text = `export async function start(): Promise<void> {
        for await (const chunk of process.stdin) process.stdout.write(String(chunk).toUpperCase());
      }`;
      const bin = planted({ path: 'src/main.ts', text }, { node: true });
      const { stdout } = spawnSync(node, [bin], { input: 'hello', encoding: 'utf8' });
      assert.equal(stdout, 'HELLO');
    });

    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      test(`passes ${signal} on and lets the command end in its own way`, async () => {
        const text = `export function start(): void {
          const timer = setInterval(() => {}, 1000);
          process.on('${signal}', () => { process.exitCode = 5; clearInterval(timer); });
          console.log('ready');
        }`;
        const bin = planted({ path: 'src/main.ts', text }, { node: true });
        const child = await startAndWait(node, bin);
        child.kill(signal);
        assert.deepEqual(await once(child, 'exit'), [5, null]);
      });
    }

    test('ends by the signal that ended the command', async () => {
      const text = `export function start(): void {
        setInterval(() => {}, 1000);
        console.log('ready');
      }`;
      const bin = planted({ path: 'src/main.ts', text }, { node: true });
      const child = await startAndWait(node, bin);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
    });

    test('runs what was built where there are no sources', () => {
      const text = "export function start() { console.log('built'); }";
      const bin = planted({ path: 'dist/main.js', text }, { node: true });
      assert.equal(run(node, [bin]).stdout, 'built\n');
    });
  });
}

test('without a Node that can run it, says what to do', { skip: needsOldNode }, () => {
  const bin = planted({ path: 'src/main.ts', text: 'export {};' }, { node: false });
  const { status, stderr } = run(oldNode ?? '', [bin, '--help']);
  assert.equal(status, 1);
  assert.match(stderr, /^forge: Node 24 or newer is needed, and this is v\d+/);
  assert.match(stderr, /npm ci/);
});
