import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { readConfig } from '../config.ts';
import type { SettingsFlags } from './flag-layer.ts';
import { noProjectFile, readSettings } from './read-settings.ts';

/** A home, a repository in it, and what stands in their files. */
function place(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'forge-settings-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'work');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const read = (
    environment: Readonly<Record<string, string>> = {},
    flags: SettingsFlags = {},
    file?: string,
  ) =>
    readSettings({
      cwd,
      config: readConfig({ HOME: home, ...environment }),
      flags,
      ...(file !== undefined && { file }),
    });
  return { home, cwd, read };
}

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(ForgeError.is(error, 'invalid_options'), String(error));
    return error.message;
  }
  return assert.fail('it was taken');
}

const project = 'work/forge.yaml';
const user = '.config/forge/config.yaml';

describe('the layers', () => {
  it('are flags over the environment, over the project, over the user, over defaults', (t) => {
    const { read } = place(t, {
      [project]: 'worker: { concurrency: 3 }\n',
      [user]: 'worker: { concurrency: 2 }\nsandbox: { cpus: 2 }\n',
    });
    const value = (...said: Parameters<typeof read>) => {
      const { settings, origins } = read(...said);
      return [settings.worker.concurrency, origins.get('worker.concurrency')?.place];
    };
    const environment = { FORGE_WORKER__CONCURRENCY: '4' };
    assert.deepEqual(value(environment, { worker: { concurrency: 5 } }), [5, '--concurrency']);
    assert.deepEqual(value(environment), [4, 'FORGE_WORKER__CONCURRENCY']);
    assert.deepEqual(value(), [3, 'forge.yaml:1']);
    const { settings, origins } = read();
    assert.equal(settings.sandbox.cpus, 2);
    assert.deepEqual(origins.get('sandbox.cpus'), {
      layer: 'user',
      place: '~/.config/forge/config.yaml:2',
    });
    assert.deepEqual(origins.get('sandbox.backend'), { layer: 'default', place: 'default' });
  });

  it('merge blocks and replace lists', (t) => {
    const { read } = place(t, {
      [project]: 'agents: { coder: { temperature: 0.1 } }\nchecks: [make test]\n',
      [user]: 'agents: { coder: { max_tokens: 9 }, own: { max_tokens: 1 } }\nchecks: [a, b]\n',
    });
    const { settings } = read();
    assert.deepEqual(settings.agents, {
      coder: { max_tokens: 9, temperature: 0.1 },
      own: { max_tokens: 1 },
    });
    assert.deepEqual(settings.checks, ['make test']);
  });

  it('take servers, profiles and pipelines whole', (t) => {
    const { read } = place(t, {
      [project]: 'mcp: { notes: { command: npx } }\nproxy: { profiles: { a: { port: 1 } } }\n',
      [user]:
        'mcp: { notes: { url: "https://x.example" }, more: { command: x } }\n' +
        'proxy: { profiles: { a: { sessions: true }, b: {} } }\n',
    });
    const { settings, origins } = read();
    assert.deepEqual(Object.keys(settings.mcp ?? {}), ['notes', 'more']);
    assert.ok(settings.mcp?.notes && !('url' in settings.mcp.notes));
    assert.deepEqual(settings.proxy?.profiles, { a: { port: 1 }, b: {} });
    assert.equal(origins.get('mcp.notes.command')?.place, 'forge.yaml:1');
    assert.equal(origins.get('mcp.notes.lazy')?.layer, 'default');
  });

  it('need none: everything has a default', (t) => {
    const { read, cwd } = place(t);
    const { settings, files, root, projectFile } = read();
    assert.equal(settings.max_deploy_attempts, 2);
    assert.deepEqual([files, root, projectFile], [[], cwd, undefined]);
  });

  it('say where the project is', (t) => {
    const { read, cwd } = place(t, { [project]: '' });
    assert.deepEqual([read().root, read().projectFile], [cwd, join(cwd, 'forge.yaml')]);
  });
});

describe('--config', () => {
  it('takes the place of forge.yaml, not of the user', (t) => {
    const { read, home } = place(t, {
      [project]: 'model: ollama:a\nlanguage: go\n',
      [user]: 'profile: mine\n',
      'other/x.yaml': 'model: ollama:b\n',
    });
    const { settings, root } = read({}, {}, '../other/x.yaml');
    assert.deepEqual(
      [settings.model, settings.language, settings.profile, root],
      ['ollama:b', undefined, 'mine', join(home, 'other')],
    );
  });

  it('that names no file says what to do', (t) => {
    const { read } = place(t);
    assert.match(
      messageOf(() => read({}, {}, 'no.yaml')),
      /no\.yaml \(--config\).*"forge init"/,
    );
  });

  it('and forge init are named where a project is missed', () => {
    assert.match(noProjectFile('/x').message, /"forge init" .*--config <path>/);
  });
});

test('everything that is wrong is told at once, each with its place', (t) => {
  const { read, home } = place(t, {
    [project]: 'modle: x\nsandbox:\n  cpus: none\n',
    [user]: 'worker: { concurrency: 0 }\n',
  });
  const message = messageOf(() => read({ FORGE_DEPLOY__APPROVAL: 'maybe' }, { model: '' }));
  assert.deepEqual(message.split('\n'), [
    '--model: model takes the name of a model, such as ollama:qwen3:8b, not "".',
    'FORGE_DEPLOY__APPROVAL: deploy.approval takes true or false, not "maybe".',
    `${home}/work/forge.yaml:3:3: sandbox.cpus takes a number, not "none".`,
    ...message
      .split('\n')
      .filter((line) => line.includes('modle is not known. Did you mean model?')),
    `${home}/.config/forge/config.yaml:1:11: worker.concurrency takes a whole number from 1 to 1000, not 0.`,
  ]);
  assert.equal(message.split('\n').length, 5);
});

test('a store that is a file begins where it is named', (t) => {
  const { read, cwd, home } = place(t, { [user]: 'store: runs.db\n' });
  assert.equal(read().settings.store, join(home, '.config/forge/runs.db'));
  assert.equal(read({ FORGE_STORE: 'x/a.db' }).settings.store, join(cwd, 'x/a.db'));
  for (const address of ['/a/b.db', 'sqlite:b.db', 'postgres://h/d']) {
    assert.equal(read({ FORGE_STORE: address }).settings.store, address);
  }
});

test('so do pipelines and plugins, and ~ is the home of the user', (t) => {
  const { read, cwd, home } = place(t, {
    [project]: 'pipeline: p.yaml\nplugins: [./own, some-package]\n',
    [user]: 'plugins: [./mine]\nstore: ~/runs.db\n',
  });
  const { settings } = read();
  assert.equal(settings.pipeline, join(cwd, 'p.yaml'));
  assert.deepEqual(settings.plugins, [join(cwd, 'own'), 'some-package']);
  assert.equal(settings.store, join(home, 'runs.db'));
  rmSync(join(cwd, 'forge.yaml'));
  assert.deepEqual(
    read().settings.plugins,
    [join(home, '.config/forge/mine')],
    'not the project’s',
  );
});

test('a model without a provider is understood where only one has it, and said', (t) => {
  const { read } = place(t, {
    [project]:
      'agents:\n  coder: { model: claude-sonnet-4-20250514 }\n  reviewer: { model: gpt-4o }\n',
  });
  const { settings, notices } = read({ FORGE_MODEL: 'gemini-2.5-pro' });
  assert.equal(settings.model, 'gemini:gemini-2.5-pro');
  assert.equal(settings.agents.coder?.model, 'anthropic:claude-sonnet-4-20250514');
  assert.equal(settings.agents.reviewer?.model, 'openai:gpt-4o');
  assert.ok(notices.includes('forge.yaml:3: gpt-4o is understood as openai:gpt-4o. Write it so.'));
});

test('a model that is a file begins where it is named', (t) => {
  const { read, cwd } = place(t, { [project]: 'model: scripted:story.yaml\n' });
  const { settings, notices } = read({ FORGE_AGENTS__CODER__MODEL: 'local:/m/x.gguf' });
  assert.equal(settings.model, `scripted:${cwd}/story.yaml`);
  assert.equal(settings.agents.coder?.model, 'local:/m/x.gguf');
  assert.deepEqual(notices, []);
});

describe('a model address that only a cloned project names', () => {
  const address = 'openai:https://elsewhere.example/v1#m';
  const files = { [project]: `name: p\nmodel: ${address}\n` };
  it('gets no key of the user', (t) => {
    const { read } = place(t, files);
    assert.match(
      messageOf(() => read({ OPENAI_API_KEY: 'k' })),
      /^forge\.yaml:2: model would send your OPENAI_API_KEY to elsewhere\.example\./,
    );
  });
  it('is taken where there is no key, where it is on this machine, and where it is meant', (t) => {
    assert.equal(place(t, files).read().settings.model, address);
    const here = place(t, { [project]: 'model: openai:http://127.0.0.1:1/v1#m\n' });
    assert.ok(here.read({ OPENAI_API_KEY: 'k' }));
    const { read } = place(t, files);
    assert.ok(read({ OPENAI_API_KEY: 'k' }, { model: address }));
    assert.ok(read({ OPENAI_API_KEY: 'k', FORGE_MODEL: address }));
  });
  it('is found in agents and weights too, and behind spaces', (t) => {
    const { read } = place(t, {
      [project]: `agents: { coder: { model: 'groq: https://a.example#m' } }\nrouter: { weights: { coding: { "${address}": 1 } } }\n`,
    });
    const message = messageOf(() => read({ OPENAI_API_KEY: 'k', GROQ_API_KEY: 'k' }));
    assert.match(message, /GROQ_API_KEY to a\.example/);
    assert.match(message, /OPENAI_API_KEY to elsewhere\.example/);
  });
});

test('property: the strongest layer that speaks wins, whichever speak', (t) => {
  const { read, home } = place(t);
  const layers = ['flag', 'environment', 'project', 'user'] as const;
  const said = fc.record({
    concurrency: fc.subarray([...layers]),
    cpus: fc.subarray([...layers]),
    checks: fc.subarray([...layers]),
  });
  const numberOf = { flag: 1, environment: 2, project: 3, user: 4, default: 0 } as const;
  fc.assert(
    fc.property(said, ({ concurrency, cpus, checks }) => {
      const settingsOf = (layer: (typeof layers)[number]) => ({
        ...(concurrency.includes(layer) && { worker: { concurrency: numberOf[layer] } }),
        ...(cpus.includes(layer) && { sandbox: { cpus: numberOf[layer] } }),
        ...(checks.includes(layer) && { checks: [layer] }),
      });
      writeFileSync(join(home, project), JSON.stringify(settingsOf('project')));
      mkdirSync(join(home, dirname(user)), { recursive: true });
      writeFileSync(join(home, user), JSON.stringify(settingsOf('user')));
      const environment = {
        ...(concurrency.includes('environment') && { FORGE_WORKER__CONCURRENCY: '2' }),
        ...(cpus.includes('environment') && { FORGE_SANDBOX__CPUS: '2' }),
        ...(checks.includes('environment') && { FORGE_CHECKS: 'environment' }),
      };
      const { settings, origins } = read(environment, settingsOf('flag'));
      const winner = (path: string) => origins.get(path)?.layer ?? 'default';
      const first = (among: readonly string[]) =>
        layers.find((layer) => among.includes(layer)) ?? 'default';
      assert.equal(winner('worker.concurrency'), first(concurrency));
      assert.equal(settings.worker.concurrency, numberOf[winner('worker.concurrency')] || 8);
      assert.equal(winner('sandbox.cpus'), first(cpus));
      assert.equal(settings.sandbox.cpus, numberOf[winner('sandbox.cpus')] || undefined);
      assert.equal(winner('checks'), first(checks));
      assert.deepEqual(settings.checks, checks.length === 0 ? [] : [first(checks)]);
    }),
    { numRuns: 60 },
  );
});

test('reading changes nothing it was given', (t) => {
  const { read } = place(t, { [project]: 'agents: { coder: { max_tokens: 1 } }\n' });
  const flags = { agents: { coder: { temperature: 1 } }, deploy: { target: undefined } };
  const before = structuredClone(flags);
  assert.equal(read({}, flags).settings.agents.coder?.max_tokens, 1);
  assert.deepEqual(flags, before);
});
