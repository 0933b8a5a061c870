import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from '../config.ts';
import { readSettings } from '../settings/read-settings.ts';
import { settingsSchema } from '../settings/settings-schema.ts';
import { makeProject } from './make-project.ts';

const { signal } = new AbortController();
const usual = { backend: 'process', node: 'node', delayMs: 0, signal };

function place(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'forge-made-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

describe('the project of the demo', () => {
  it('is a clean repository with one commit', async (t) => {
    const folder = place(t);
    const { commit, files } = await makeProject({ ...usual, folder });
    assert.equal(git(folder, 'status', '--porcelain'), '');
    assert.equal(git(folder, 'rev-parse', 'main'), commit);
    assert.equal(git(folder, 'ls-files').split('\n').length, files);
  });

  it('has settings that hold, and keeps its runs to itself', async (t) => {
    const folder = place(t);
    const { store, model } = await makeProject({ ...usual, folder });
    const text = readFileSync(join(folder, 'forge.yaml'), 'utf8');
    settingsSchema.parse(parse(text));
    const config = readConfig({ HOME: folder });
    const { settings } = readSettings({ cwd: folder, config, flags: {} });
    assert.equal(settings.store, store);
    assert.equal(settings.model, model);
    assert.equal(store, join(folder, '.forge', 'runs.db'));
    assert.equal(model, `scripted:${join(folder, '.forge', 'script.yaml')}`);
    assert.ok(!text.includes(folder), 'the same wherever it is made');
  });

  it('speaks with another model if one is named', async (t) => {
    const folder = place(t);
    const { model } = await makeProject({ ...usual, folder, model: 'ollama:qwen3:8b' });
    assert.equal(model, 'ollama:qwen3:8b');
  });

  it('is made in no folder that holds anything', async (t) => {
    const folder = place(t);
    writeFileSync(join(folder, 'mine.txt'), 'mine');
    await assert.rejects(makeProject({ ...usual, folder }), { code: 'already_exists' });
    assert.equal(readFileSync(join(folder, 'mine.txt'), 'utf8'), 'mine');
  });
});
