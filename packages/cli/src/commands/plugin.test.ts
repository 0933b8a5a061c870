import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/forge.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'forge-cli-plugin-'));
const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
symlinkSync(modules, join(folder, 'node_modules'));
after(() => rmSync(folder, { recursive: true, force: true }));

function forge(...args: string[]) {
  const env = { ...process.env, NO_COLOR: '1' };
  const command = [launcher, 'plugin', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('a new plugin is listed once forge.yaml names it', () => {
  assert.match(forge('list').stdout, /has no plugins/);
  assert.equal(forge('new', 'forge-plugin-dice').status, 0);
  writeFileSync(join(folder, 'forge.yaml'), 'plugins: [./forge-plugin-dice]\n');
  const { status, stdout } = forge('list');
  assert.equal(status, 0);
  assert.equal(stdout, 'forge-plugin-dice 0.1.0\n  tools: roll_dice\n');
});

test('a bad one is named, the others are there, and the exit code says so', () => {
  mkdirSync(join(folder, 'bad'));
  writeFileSync(
    join(folder, 'bad/package.json'),
    '{ "name": "bad", "forge": { "plugin": "./none.js" } }',
  );
  writeFileSync(join(folder, 'forge.yaml'), 'plugins: [./bad, ./forge-plugin-dice]\n');
  const { status, stdout } = forge('list', '--json');
  assert.equal(status, 1);
  const { plugins, problems } = JSON.parse(stdout);
  assert.equal(plugins[0].name, 'forge-plugin-dice');
  assert.equal(problems[0].name, 'bad');
});

test('nothing is written over', () => {
  const { status, stderr } = forge('new', 'forge-plugin-dice');
  assert.equal(status, 1);
  assert.match(stderr, /is there already/);
});
