import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { modelOfProfile, projectProfile, projectProfiles } from './project-profiles.ts';

function project(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'forge-profiles-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (folder: string, text: string) => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'docs.yaml'), text);
  };
  write('.forge/profiles', 'id: docs\nname: Words\nmax_iterations: 15\nllm_model: gpt-4o\n');
  write('mine', 'id: docs\nname: Mine\nllm_provider: ollama\nllm_model: qwen3:8b\n');
  return root;
}

describe('the profile of a coding agent', () => {
  it('is one of the project, or of a folder that is named, which counts more', async (t) => {
    const root = project(t);
    const name = async (profiles_dir?: string) =>
      (await projectProfiles({ settings: { profiles_dir }, root })).get('docs').name;
    assert.equal(await name(), 'Words');
    assert.equal(await name(join(root, 'mine')), 'Mine');
    await assert.rejects(name(join(root, 'gone')), /There is no folder .*gone with profiles/);
    await assert.rejects(name(join(root, 'mine', 'docs.yaml')), /There is no folder/);
  });

  it('says how many turns there are, unless the command line does', async (t) => {
    const root = project(t);
    const turns = async (flags: object) =>
      (await projectProfile({ settings: { profile: 'docs' }, root }, { ...flags }))?.maxIterations;
    assert.equal(await turns({}), 15);
    assert.equal(await turns({ agents: { agent: { max_iterations: 3 } } }), undefined);
    assert.equal(await projectProfile({ settings: {}, root }, {}), undefined);
    const gone = { settings: { profiles_dir: join(root, 'gone') }, root };
    await assert.rejects(projectProfile(gone, {}), /There is no folder/);
  });

  it('names a model by provider and model, or by what only one provider has', async (t) => {
    const root = project(t);
    const model = async (profiles_dir?: string) =>
      modelOfProfile(
        await projectProfile({ settings: { profile: 'docs', profiles_dir }, root }, {}),
      );
    assert.equal(await model(), 'openai:gpt-4o');
    assert.equal(await model(join(root, 'mine')), 'ollama:qwen3:8b');
    assert.equal(modelOfProfile(undefined), undefined);
  });
});
