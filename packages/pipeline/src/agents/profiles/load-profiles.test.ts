import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { loadProfiles } from './load-profiles.ts';
import { readProfile } from './profile.ts';

const made: string[] = [];
after(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-profiles-'));
  made.push(folder);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/** A few lines that stand for a thousand million words. */
const bomb = [
  'a: &a0 [x, x]',
  ...Array.from({ length: 30 }, (_, at) => `b${at}: &a${at + 1} [*a${at}, *a${at}]`),
].join('\n');

describe('profiles', () => {
  it('are there without any file: gemini, openai, thorough', async () => {
    const { all } = await loadProfiles([join(tmpdir(), 'forge-no-such-folder')]);
    assert.deepEqual(
      all.map(({ id, model, maxIterations }) => [id, model, maxIterations]),
      [
        ['gemini', 'gemini-2.5-pro', 30],
        ['openai', 'gpt-4o', 30],
        ['thorough', undefined, 50],
      ],
    );
  });

  it('are not read from what is no file: a link to a device never ends', async () => {
    const folder = await folderOf({});
    await symlink('/dev/null', join(folder, 'endless.yaml'));
    await assert.rejects(loadProfiles([folder]), /endless\.yaml is not a file/);
  });

  it('are read from .yaml and .yml files and nothing else', async () => {
    const folder = await folderOf({
      'a.yaml':
        'id: careful\nname: Careful\ndescription: d\nprompt_scope: Only docs.\nllm_provider: ollama\nllm_model: qwen3\nmax_iterations: 7\ncapabilities: [x]\n',
      'b.yml': 'id: quick\nname: Quick\n',
      'c.json': '{"id":"no","name":"No"}',
      'README.md': 'id: no\nname: No\n',
    });
    const profiles = await loadProfiles([folder]);
    assert.deepEqual(profiles.get('careful'), {
      id: 'careful',
      name: 'Careful',
      description: 'd',
      promptScope: 'Only docs.',
      provider: 'ollama',
      model: 'qwen3',
      maxIterations: 7,
      capabilities: ['x'],
      origin: join(folder, 'a.yaml'),
    });
    assert.deepEqual(
      profiles.all.map(({ id }) => id),
      ['careful', 'gemini', 'openai', 'quick', 'thorough'],
    );
  });

  it('of a later folder win over those of an earlier one, and over the built-in ones', async () => {
    const extension = await folderOf({
      'x.yaml': 'id: thorough\nname: Extension\n',
      'y.yaml': 'id: own\nname: Extension\n',
    });
    const user = await folderOf({ 'x.yaml': 'id: own\nname: User\n' });
    const profiles = await loadProfiles([extension, user]);
    assert.equal(profiles.get('thorough').name, 'Extension');
    assert.equal(profiles.get('own').name, 'User');
  });

  it('that are unknown are told which there are, sorted', async () => {
    const profiles = await loadProfiles([await folderOf({ 'a.yaml': 'id: a\nname: A\n' })]);
    assert.throws(
      () => profiles.get('nope'),
      /no profile "nope"\. Profiles: a, gemini, openai, thorough\./,
    );
  });

  const broken: readonly [string, string, RegExp][] = [
    ['a list', '- a\n', /a\.yaml is not a profile: it has to be a mapping/],
    ['no YAML', 'id: [\n', /a\.yaml is not YAML/],
    ['no name', 'id: a\n', /a\.yaml is not a profile: .*name/s],
    ['too few turns', 'id: a\nname: A\nmax_iterations: 0\n', /max_iterations/],
    ['an unknown key', 'id: a\nname: A\nllm_modle: x\n', /llm_modle/],
    ['an id that is a path', 'id: ../a\nname: A\n', /id/],
    ['aliases without end', bomb, /a\.yaml is not YAML: .*alias/],
  ];
  for (const [what, content, problem] of broken) {
    it(`with ${what} are an error that names the file`, async () => {
      const folder = await folderOf({ 'a.yaml': content });
      await assert.rejects(loadProfiles([folder]), problem);
    });
  }

  it('that are no file at all are not read', async () => {
    const folder = await folderOf({});
    await mkdir(join(folder, 'nested'));
    assert.equal((await loadProfiles([folder])).all.length, 3);
  });

  it('are a profile or a clear error, whatever the file holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          assert.ok(readProfile(value, 'x.yaml').name);
        } catch (error) {
          assert.match(String(error), /x\.yaml is not a profile/);
        }
      }),
    );
  });
});
