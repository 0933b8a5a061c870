import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { readConfig } from '../../config.ts';
import { readSettings } from '../read-settings.ts';
import { settingsSchema } from '../settings-schema.ts';
import { oldKeys } from './agent-forge-keys.ts';
import { translateOldKeys } from './translate-old-keys.ts';

function place(t: TestContext, { toml, userToml }: { toml?: string; userToml?: string } = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'forge-legacy-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  mkdirSync(join(home, '.agent-forge'));
  if (toml !== undefined) writeFileSync(join(cwd, 'agent-forge.toml'), toml);
  if (userToml !== undefined) writeFileSync(join(home, '.agent-forge', 'config.toml'), userToml);
  const read = (environment: Readonly<Record<string, string>> = {}) =>
    readSettings({ cwd, config: readConfig({ HOME: home, ...environment }) });
  return { home, cwd, read };
}

const everything = `# of the earlier system
[agent]
max_iterations = 30
max_tokens_per_run = 100000
default_provider = "openai"
default_model = "gpt-4o"
temperature = 0.5
system_prompt_path = "prompts/mine.md"

[sandbox]
backend = "bwrap"
image = "mine:latest"
cpu_limit = 1.5
memory_limit = "512m"
timeout_seconds = 60
network_enabled = true
writable_cache_mounts = true

[queue]
backend = "redis"
redis_url = "redis://localhost:6380/1"
max_concurrent_runs = 4

[logging]
level = "INFO"

[service]
port = 8000

[providers.openai]
api_key_env = "MY_KEY"
default_model = "gpt-4o"
`;

describe('agent-forge.toml', () => {
  it('is read key by key, each with its line', (t) => {
    const { settings, origins } = place(t, { toml: everything }).read();
    assert.equal(settings.model, 'openai:gpt-4o');
    assert.deepEqual(settings.agents.agent, {
      max_iterations: 30,
      temperature: 0.5,
      prompt: 'prompts/mine.md',
    });
    assert.equal(settings.runtime.max_agent_tokens, 100_000);
    assert.deepEqual(settings.sandbox, {
      backend: 'bubblewrap',
      image: 'mine:latest',
      cpus: 1.5,
      memory_mb: 512,
      command_timeout_s: 60,
      network: 'full',
    });
    assert.equal(settings.queue, 'redis://localhost:6380/1');
    assert.equal(settings.worker.concurrency, 4);
    assert.equal(origins.get('model')?.place, 'agent-forge.toml:6');
    assert.equal(origins.get('sandbox.memory_mb')?.place, 'agent-forge.toml:14');
  });

  it('is told of, with what to write instead and what is not read', (t) => {
    const [notice = ''] = place(t, { toml: everything }).read().notices;
    assert.match(notice, /^agent-forge\.toml is still read\. Write this to forge\.yaml instead:/);
    assert.match(notice, /^ {2}agents:\n {4}agent:\n {6}max_iterations: 30$/m);
    assert.match(notice, /^ {2}model: openai:gpt-4o$/m);
    assert.match(notice, /not read: agent-forge\.toml:17: sandbox\.writable_cache_mounts: /);
    assert.match(notice, /not read: agent-forge\.toml:25: logging\.level: /);
    assert.match(notice, /not read: agent-forge\.toml:28: service\.port: /);
    assert.match(notice, /agent-forge\.toml:31: the key of openai is read from OPENAI_API_KEY/);
    assert.doesNotMatch(notice, /MY_KEY/, 'what stands there may be the key itself');
  });

  it('gives way to forge.yaml, and comes before what the user has', (t) => {
    const { read, cwd } = place(t, {
      toml: '[agent]\nmax_iterations = 3\n[sandbox]\ncpu_limit = 2\n',
      userToml: '[sandbox]\ncpu_limit = 1\ntimeout_seconds = 9\n',
    });
    writeFileSync(join(cwd, 'forge.yaml'), 'agents: { agent: { max_iterations: 7 } }\n');
    const { settings, origins } = read();
    assert.equal(settings.agents.agent?.max_iterations, 7);
    assert.equal(settings.sandbox.cpus, 2);
    assert.equal(settings.sandbox.command_timeout_s, 9);
    assert.deepEqual(origins.get('sandbox.command_timeout_s'), {
      layer: 'user',
      place: '~/.agent-forge/config.toml:3',
    });
  });

  it('that is malformed is an error with its place', (t) => {
    const { read, cwd } = place(t, { toml: '[agent]\nmax_iterations = \n' });
    assert.throws(read, (error: Error) => error.message.startsWith(`${cwd}/agent-forge.toml:2:`));
  });

  for (const [toml, fault] of [
    [
      '[agent]\nmax_iterations = 0\n',
      /^agent-forge\.toml:2: agents\.agent\.max_iterations takes a/,
    ],
    ['[sandbox]\ncpu_limit = -1\n', /^agent-forge\.toml:2: sandbox\.cpus takes a number/],
    ['[sandbox]\nmemory_limit = "much"\n', /^agent-forge\.toml:2: sandbox\.memory_mb .*not "much"/],
    ['[sandbox]\nbackend = "podman"\n', /^agent-forge\.toml:2: sandbox\.backend takes one of/],
  ] as const) {
    it(`is checked: ${JSON.stringify(toml)}`, (t) => {
      assert.throws(place(t, { toml }).read, (error: Error) => fault.test(error.message));
    });
  }

  it('names a key nobody ever knew, with the nearest', (t) => {
    const [notice = ''] = place(t, { toml: '[agent]\nmax_iteration = 3\n' }).read().notices;
    assert.match(notice, /agent\.max_iteration was not known before either: did you mean max_iter/);
  });

  it('a provider alone means its own model, said or built in', (t) => {
    const model = (toml: string) => place(t, { toml }).read().settings.model;
    const provider = '[agent]\ndefault_provider = "anthropic"\n';
    assert.equal(model(provider), 'anthropic:claude-sonnet-4-20250514');
    assert.equal(model(`${provider}[providers.anthropic]\ndefault_model = "m"\n`), 'anthropic:m');
    assert.equal(
      model('[providers.openai]\ndefault_model = "m"\n'),
      undefined,
      'nothing said, nothing chosen',
    );
  });
});

describe('AGENT_FORGE_… variables', () => {
  it('are read over the files and below FORGE_…', (t) => {
    const { read } = place(t, { toml: '[agent]\nmax_iterations = 3\n' });
    const { settings, origins, notices } = read({
      AGENT_FORGE_AGENT_MAX_ITERATIONS: '5',
      AGENT_FORGE_SANDBOX_NETWORK_ENABLED: 'YES',
      AGENT_FORGE_SANDBOX_CPU_LIMIT: '2.5',
      FORGE_SANDBOX__CPUS: '3',
      AGENT_FORGE_AGENT_DEFAULT_PROVIDER: 'openai',
      AGENT_FORGE_PROVIDERS_OPENAI_DEFAULT_MODEL: 'gpt-4.1',
    });
    assert.equal(settings.agents.agent?.max_iterations, 5);
    assert.equal(settings.sandbox.network, 'full');
    assert.equal(settings.sandbox.cpus, 3);
    assert.equal(settings.model, 'openai:gpt-4.1');
    assert.equal(
      origins.get('agents.agent.max_iterations')?.place,
      'AGENT_FORGE_AGENT_MAX_ITERATIONS',
    );
    assert.ok(notices.some((notice) => notice.startsWith('AGENT_FORGE_… is still read.')));
  });

  it('that hold no number are refused by their name', (t) => {
    const { read } = place(t);
    assert.throws(
      () => read({ AGENT_FORGE_AGENT_MAX_ITERATIONS: 'lots' }),
      /^ForgeError: AGENT_FORGE_AGENT_MAX_ITERATIONS: .*takes a whole number.*not "lots"/,
    );
  });
});

describe("the router's variables", () => {
  for (const [environment, model] of [
    [{ FORGE_PROVIDER: 'ollama', LLM_MODEL: 'qwen3:8b' }, 'ollama:qwen3:8b'],
    [
      { FORGE_PROVIDER: 'ollama', LLM_MODEL: 'm', OLLAMA_URL: 'http://h:1/api/generate' },
      'ollama:http://h:1#m',
    ],
    [{ FORGE_PROVIDER: 'llama_cpp' }, 'llamacpp:'],
    [{ LLM_MODEL: 'default', LLAMA_CPP_URL: 'http://h:8080' }, 'llamacpp:http://h:8080'],
    [{ FORGE_PROVIDER: 'openrouter', LLM_MODEL: 'a/b' }, 'openrouter:a/b'],
    [
      {
        FORGE_PROVIDER: 'openrouter',
        LLM_MODEL: 'a/b',
        OPENROUTER_URL: 'https://o.example/api/v1/chat/completions',
      },
      'openrouter:https://o.example/api/v1#a/b',
    ],
  ] as const) {
    it(`${JSON.stringify(environment)} mean ${model}`, (t) => {
      const { settings, notices } = place(t).read(environment);
      assert.equal(settings.model, model);
      assert.match(notices.join('\n'), /still read\. Set this instead:\n {2}FORGE_MODEL=/);
    });
  }

  it('give way to everything that was written for Forge', (t) => {
    const { read, cwd } = place(t);
    writeFileSync(join(cwd, 'forge.yaml'), 'model: ollama:mine\n');
    assert.equal(read({ LLM_MODEL: 'other' }).settings.model, 'ollama:mine');
  });

  it('without a counterpart are named', (t) => {
    const { notices } = place(t).read({
      FORGE_PROVIDER: 'ollama',
      LLM_MODEL: 'm',
      MAX_STEPS: '1',
      ENABLED_TOOLS: 'chat,code',
      MEMORY_FILE: 'data/memory.json',
    });
    for (const name of ['MAX_STEPS', 'ENABLED_TOOLS', 'MEMORY_FILE']) {
      assert.match(notices.join('\n'), new RegExp(`not read: ${name}: `));
    }
  });

  it('say nothing where the router was never meant', (t) => {
    assert.deepEqual(place(t).read({ MAX_STEPS: '9', OLLAMA_URL: 'http://h' }).notices, []);
  });

  it('with an unknown provider are an error', (t) => {
    assert.throws(
      () => place(t).read({ FORGE_PROVIDER: 'acme' }),
      /FORGE_PROVIDER takes one of llama_cpp, ollama, openrouter, not "acme"/,
    );
  });

  it('show no password of an address', (t) => {
    const { notices } = place(t).read({
      LLM_MODEL: 'm',
      LLAMA_CPP_URL: 'http://me:hunter2secret@h:8080',
    });
    assert.doesNotMatch(notices.join('\n'), /hunter2secret/);
  });
});

describe('every old key', () => {
  it('has a counterpart in the schema or says what there is instead', () => {
    const example = { text: 'auto', whole: 5, number: 1, switch: true } as const;
    for (const [section, keys] of Object.entries(oldKeys)) {
      for (const [key, { kind, path, instead }] of Object.entries(keys)) {
        const value = key === 'memory_limit' ? '512m' : example[kind];
        const said = { section, key, value, place: 'here' };
        const translated = translateOldKeys([said]);
        const known = path !== undefined || instead !== undefined || key in partsOfOne;
        assert.ok(known, `${section}.${key}`);
        assert.ok(settingsSchema.safeParse(translated.value).success, `${section}.${key}`);
      }
    }
  });

  it('property: whatever is said, nothing is made up and nothing throws', () => {
    const section = fc.constantFrom(
      ...Object.keys(oldKeys),
      'providers.openai',
      'other',
      '__proto__',
    );
    const key = fc.constantFrom(
      ...Object.values(oldKeys).flatMap((keys) => Object.keys(keys)),
      'api_key_env',
      'toString',
    );
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(''));
    const setting = fc.record({ section, key, value, place: fc.constant('here') });
    fc.assert(
      fc.property(fc.array(setting, { maxLength: 8 }), (said) => {
        const { places } = translateOldKeys(said);
        assert.ok(places.size <= said.length);
      }),
    );
  });
});

/** Two keys that make one value here. */
const partsOfOne = { default_provider: 1, default_model: 1, backend: 1, redis_url: 1 };
