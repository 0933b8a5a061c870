import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { packPackages } from './pack-packages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const program = `
import { defineAgent, defineTool, run } from '@forge/core';
import { calls, ScriptedModel } from '@forge/core/testing';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  run: ({ a, b }) => a + b,
});
const agent = defineAgent({ name: 'adder', instructions: 'Add.', tools: [add] });
const model = new ScriptedModel([calls(['add', { a: 2, b: '3' }]), 'It is 5.']);
const { status, output } = await run(agent, 'What is 2 + 3?', { model });
console.log(status, output.text, import.meta.resolve('@forge/core').endsWith('/dist/index.js'));
`;

test('a packed core, installed beside its dependencies, runs an agent with no TypeScript', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-packed-'));
  try {
    const [tarball] = packPackages({ root, folders: ['packages/core'], target: folder });
    assert.ok(tarball);
    const modules = join(folder, 'node_modules');
    const core = join(modules, '@forge', 'core');
    mkdirSync(core, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', core, '--strip-components=1']);
    for (const name of ['zod', '@standard-schema']) {
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    assert.equal(existsSync(join(core, 'src')), false);
    assert.match(readFileSync(join(core, 'LICENSE'), 'utf8'), /MIT/);
    writeFileSync(join(folder, 'program.mjs'), program);
    const args = ['--no-strip-types', 'program.mjs'];
    const printed = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    assert.equal(printed, 'completed It is 5. true\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
