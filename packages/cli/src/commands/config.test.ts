import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { main } from '../main.ts';
import { parseProjectFile } from '../project/read-project-file.ts';

function place(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'forge-config-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, '.config', 'forge'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const config = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await main(['config', ...args], {
      cwd: home,
      environment: { HOME: home, NO_COLOR: '1', ...environment },
      stdout: { write: (text: string) => out.push(text) },
      stderr: { write: (text: string) => err.push(text) },
    });
    return { code, out: out.join(''), err: err.join('') };
  };
  return { home, config };
}

const project = { 'forge.yaml': 'model: ollama:m\ndeploy: { target: process }\n' };

test('prints the settings as YAML that is right itself', async (t) => {
  const { code, out } = await place(t, project).config([]);
  assert.equal(code, 0);
  const { config } = parseProjectFile('printed', out);
  assert.equal(config.model, 'ollama:m');
  assert.equal(config.worker?.concurrency, 8);
});

test('prints them as JSON', async (t) => {
  const { out } = await place(t, project).config(['--json'], { FORGE_LANGUAGE: 'go' });
  const settings = JSON.parse(out);
  assert.equal(settings.language, 'go');
  assert.deepEqual(settings.deploy, { target: 'process', approval: false, config: {} });
});

test('says where each value came from, in columns', async (t) => {
  const { config, home } = place(t, { ...project, '.config/forge/config.yaml': 'profile: fast\n' });
  const { out } = await config(['--origins'], { FORGE_DEPLOY__TARGET: 'docker' });
  const lines = out.trimEnd().split('\n');
  const origin = (path: string) =>
    lines.find((line) => line.startsWith(`${path} `))?.split(/ {2,}/);
  assert.deepEqual(origin('model'), ['model', 'ollama:m', 'forge.yaml:1']);
  assert.deepEqual(origin('deploy.target'), ['deploy.target', 'docker', 'FORGE_DEPLOY__TARGET']);
  assert.deepEqual(origin('profile'), ['profile', 'fast', '.config/forge/config.yaml:1']);
  assert.deepEqual(origin('worker.concurrency'), ['worker.concurrency', '8', 'default']);
  const columns = lines.map((line) => line.search(/\S+$/));
  assert.equal(new Set(columns).size, 1, 'the last column begins in one place');
  assert.ok(!out.includes(home));
});

test('says where each value came from, as JSON', async (t) => {
  const { out } = await place(t, project).config(['deploy', '--origins', '--json']);
  assert.deepEqual(JSON.parse(out), {
    'deploy.approval': { value: false, layer: 'default', place: 'default' },
    'deploy.config': { value: {}, layer: 'default', place: 'default' },
    'deploy.target': { value: 'process', layer: 'project', place: 'forge.yaml:2' },
  });
});

test('prints one value, also below a name with dots', async (t) => {
  const { config } = place(t, {
    'forge.yaml': 'agents: { my.agent: { max_tokens: 5 } }\nchecks: [a, b]\nmodel: x:y\n',
  });
  assert.equal((await config(['model'])).out, 'x:y\n');
  assert.equal((await config(['agents.my.agent.max_tokens'])).out, '5\n');
  assert.equal((await config(['checks'])).out, '- a\n- b\n');
  assert.equal((await config(['checks', '--json'])).out, '[\n  "a",\n  "b"\n]\n');
});

test('a path that is not set is a wrong command line that names the nearest', async (t) => {
  const { config } = place(t, project);
  const wrong = await config(['deploy.tarket']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /deploy\.tarket is not set in deploy\. Did you mean deploy\.target\?/);
});

test('shows no secret, wherever it stands', async (t) => {
  const { config } = place(t, {
    'forge.yaml':
      'store: postgres://me:hunter2hunter2@h/d\n' +
      'deploy: { config: { env: { KEY: hunter2 } } }\n' +
      'mcp: { a: { url: "https://h.example", headers: { X: hunter2 } } }\n',
  });
  for (const args of [[], ['--json'], ['--origins'], ['--origins', '--json'], ['store']]) {
    const { out, err } = await config(args);
    assert.doesNotMatch(out + err, /hunter2/, args.join(' '));
  }
});

test('notices go to the errors: the output stays what was asked for', async (t) => {
  const { config } = place(t, { 'agent-forge.toml': '[agent]\nmax_iterations = 3\n' });
  const { out, err } = await config(['--json']);
  assert.equal(JSON.parse(out).agents.agent.max_iterations, 3);
  assert.match(err, /agent-forge\.toml is still read/);
});

test('check tells of every fault and ends with 1', async (t) => {
  const { config, home } = place(t, { 'forge.yaml': 'modle: x\nworker: { concurrency: 0 }\n' });
  const { code, err } = await config(['check']);
  assert.equal(code, 1);
  assert.match(err, new RegExp(`^${home}/forge\\.yaml:1:1: modle is not known`, 'm'));
  assert.match(err, /forge\.yaml:2:11: worker\.concurrency takes/);
  const asJson = JSON.parse((await config(['check', '--json'])).out);
  assert.equal(asJson.valid, false);
  assert.equal(asJson.faults.length, 2);
});

test('check says that all is right, and of which files', async (t) => {
  const { config, home } = place(t, {
    'forge.yaml': 'deploy: { target: process, config: { start: npm start } }\n',
  });
  const { code, out, err } = await config(['check']);
  assert.equal(code, 0, err);
  assert.equal(out, `Every setting is right.\n${home}/forge.yaml\n`);
  const named = await config(['check', '--config', 'nowhere.yaml']);
  assert.equal(named.code, 1);
  assert.match(named.err, /nowhere\.yaml \(--config\)/);
});

test('check looks at what settings name: profile, target, pipeline, agents', async (t) => {
  const { config } = place(t, {
    'forge.yaml': [
      'profile: nope',
      'agents:',
      '  writer: { tools: [reed] }',
      'deploy:',
      '  target: process',
      '  config: { start: npm start, strat: x }',
      'pipeline:',
      '  name: mine',
      '  input: { type: object }',
      '  nodes: { a: { agent: nobody, input: {} } }',
      '',
    ].join('\n'),
  });
  const { code, err } = await config(['check']);
  assert.equal(code, 1);
  assert.match(err, /^forge\.yaml:1: There is no profile "nope"/m);
  assert.match(err, /^forge\.yaml:6: deploy\.config: Unrecognized key: "strat"$/m);
  assert.match(
    err,
    /^forge\.yaml:8: The pipeline "mine" cannot be run as it is written: 1 fault\./m,
  );
  assert.match(err, /^1\. a is to be done by "nobody".*\n {3}a\n {3}\^ agents: planner, /m);
  assert.match(err, /^forge\.yaml:3: Agent "writer" names the tool "reed".* Did you mean read\?$/m);
  const { valid, faults } = JSON.parse((await config(['check', '--json'])).out);
  assert.equal(valid, false);
  assert.equal(faults.length, 4);
});

test('check names a target, a profile file and a plugin that are not right', async (t) => {
  const { config, home } = place(t, {
    'forge.yaml': 'deploy: { target: moon }\nplugins: [./gone]\n',
  });
  mkdirSync(join(home, '.forge', 'profiles'), { recursive: true });
  writeFileSync(join(home, '.forge', 'profiles', 'bad.yaml'), 'id: [');
  const { code, err } = await config(['check']);
  assert.equal(code, 1);
  assert.match(err, /^forge\.yaml:1: deploy\.target: there is no target moon\. Targets: /m);
  assert.match(err, /bad\.yaml is not YAML/);
  assert.match(err, /gone/);
});

test('an agent may name a tool of an MCP server', async (t) => {
  const server = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/dist/index.js',
  );
  const { config, home } = place(t, {
    'forge.yaml': [
      'agents: { writer: { tools: [files__read_text_file] } }',
      'mcp:',
      `  files: { command: ${process.execPath}, args: [${server}, .] }`,
      '',
    ].join('\n'),
  });
  mkdirSync(join(home, '.forge', 'prompts'), { recursive: true });
  writeFileSync(join(home, '.forge', 'prompts', 'writer.md'), 'Write a text.');
  const { code, err } = await config(['check']);
  assert.equal(code, 0, err);
});

test('schema is one that takes what the settings take', async (t) => {
  const { out } = await place(t).config(['schema']);
  const schema = JSON.parse(out);
  assert.equal(schema.title, 'forge.yaml');
  assert.equal(schema.properties.sandbox.properties.backend.enum.length, 4);
});
