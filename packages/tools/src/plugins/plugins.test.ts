import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ForgeError } from '@forge/core';
import { loadPlugins } from './load-plugins.ts';
import { newPlugin } from './new-plugin.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'forge-plugins-'));
  // Where a project has them: what plugins import is found.
  const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['@forge', 'zod'])
    symlinkSync(join(modules, name), join(root, 'node_modules', name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const project = (...dependencies: string[]) =>
  write(
    'package.json',
    JSON.stringify({
      name: 'app',
      dependencies: Object.fromEntries(dependencies.map((name) => [name, '1'])),
    }),
  );
const install = (name: string, module: string, forge: unknown = { plugin: './index.js' }) => {
  const manifest = { name, version: '1.2.3', type: 'module', ...(forge === null ? {} : { forge }) };
  write(`node_modules/${name}/package.json`, JSON.stringify(manifest));
  write(`node_modules/${name}/index.js`, module);
};
const withTool = (tool: string) => `
  import { defineTool } from '@forge/core';
  const tool = defineTool({ name: '${tool}', description: '', input: { type: 'object' }, run: () => 1 });
  export const plugin = { tools: [tool], prompts: { coder: 'from ${tool}' } };`;

describe('the plugins of a project', () => {
  it('are the packages it names that say they are one', async () => {
    project('with-tool', 'not-a-plugin', 'not-installed');
    install('with-tool', withTool('dice'));
    install('not-a-plugin', 'throw new Error("never loaded")', null);
    install('not-named', 'throw new Error("never loaded")');
    const { loaded, problems } = await loadPlugins({ root });
    assert.deepEqual(problems, []);
    assert.equal(loaded.length, 1);
    assert.equal(loaded[0]?.name, 'with-tool');
    assert.equal(loaded[0].version, '1.2.3');
    assert.deepEqual(loaded[0].prompts, { coder: 'from dice' });
    assert.deepEqual(
      loaded[0].tools.map(({ spec }) => spec.name),
      ['dice'],
    );
  });

  it('do without the bad ones, which are named with what is wrong', async () => {
    const bad: Record<string, string> = {
      throws: 'throw new Error("no luck")',
      'no-export': 'export const other = 1;',
      'wrong-shape': 'export const plugin = { tools: [{ name: "x" }] };',
      'unknown-part': 'export const plugin = { toolz: [] };',
      'broken-syntax': 'export const plugin = {',
      'never-loads':
        'await new Promise((done) => setTimeout(done, 600_000).unref()); export const plugin = {};',
    };
    for (const [name, module] of Object.entries(bad)) install(name, module);
    install('wrong-field', '', 'yes');
    install('good', withTool('dice'));
    project(...Object.keys(bad), 'wrong-field', 'good');
    const { loaded, problems } = await loadPlugins({ root, timeoutMs: 3_000, also: ['./nowhere'] });
    assert.deepEqual(
      loaded.map(({ name }) => name),
      ['good'],
    );
    const why = Object.fromEntries(problems.map(({ name, problem }) => [name, problem]));
    assert.match(why.throws ?? '', /no luck/);
    assert.match(why['no-export'] ?? '', /exports no "plugin"/);
    assert.match(why['wrong-shape'] ?? '', /tools\.0.*defineTool/);
    assert.match(why['unknown-part'] ?? '', /toolz/);
    assert.notEqual(why['broken-syntax'] ?? '', '');
    assert.match(why['never-loads'] ?? '', /did not load within/);
    assert.match(why['wrong-field'] ?? '', /forge/);
    assert.match(why['./nowhere'] ?? '', /no such package or folder/);
  });

  it('give a name to the first who brings it, and say so', async () => {
    install('first', withTool('dice'));
    install('second', withTool('dice'));
    project('first', 'second');
    const { loaded, problems } = await loadPlugins({ root });
    assert.deepEqual(
      loaded.map(({ tools }) => tools.length),
      [1, 0],
    );
    assert.deepEqual(
      problems.map(({ name, problem }) => `${name}: ${problem}`),
      [
        'second: Its tool "dice" is left out: first brings one of that name.',
        'second: Its prompt "coder" is left out: first brings one of that name.',
      ],
    );
  });
});

describe('a new plugin', () => {
  it('works as it is: it loads, and its own test passes', async () => {
    const folder = join(root, 'forge-plugin-dice');
    await newPlugin({ folder, name: 'forge-plugin-dice' });
    const { loaded, problems } = await loadPlugins({ root, also: ['./forge-plugin-dice'] });
    assert.deepEqual(problems, []);
    assert.equal(loaded[0]?.tools[0]?.spec.name, 'roll_dice');
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const test = spawnSync(process.execPath, ['--test', 'src/index.test.ts'], { cwd: folder, env });
    assert.equal(test.status, 0, String(test.stdout));
  });

  it('takes no name that no package can have, and no folder that is there', async () => {
    await assert.rejects(newPlugin({ folder: join(root, 'a'), name: 'Not a name' }), (error) =>
      ForgeError.is(error, 'invalid_options'),
    );
    assert.ok(!readdirSync(root).includes('a'));
    await assert.rejects(newPlugin({ folder: root, name: 'ok' }), /is there already/);
  });
});
