import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { openStore } from '@forge/store';
import { main } from '../main.ts';
import type { Settings } from '../settings/settings-schema.ts';
import type { Finding } from './doctor/finding.ts';
import { roomFinding } from './doctor/look-at-disk.ts';
import { gitFinding, node } from './doctor/look-at-programs.ts';
import { type Probes, sandboxFindings } from './doctor/look-at-sandbox.ts';

const nobody = 'http://127.0.0.1:9';

function place(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'forge-doctor-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const doctor = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const out: string[] = [];
    const code = await main(['doctor', ...args], {
      cwd: home,
      environment: {
        HOME: home,
        PATH: process.env.PATH,
        NO_COLOR: '1',
        FORGE_BACKEND_ADDRESSES: nobody,
        ...environment,
      },
      stdout: { write: (text: string) => out.push(text) },
      stderr: { write: (text: string) => out.push(text) },
    });
    return { code, out: out.join('') };
  };
  const findings = async (environment: Record<string, string> = {}, args: string[] = []) => {
    const { code, out } = await doctor([...args, '--json'], environment);
    const all: readonly Finding[] = JSON.parse(out).findings;
    const of = (name: string) => all.filter((finding) => finding.name === name);
    return { code, all, of, only: (name: string) => of(name)[0] };
  };
  return { home, doctor, findings };
}

/** No sandbox is needed: whether one works here is not what these tests are about. */
const trusted = 'sandbox: { backend: process, network: full }\n';

test('prints a line for each, with what to do, and ends with 0 where nothing needed is missing', async (t) => {
  const { doctor } = place(t, { 'forge.yaml': trusted });
  const { code, out } = await doctor([]);
  assert.match(out, /^✓ node +\d+\./m);
  assert.match(out, /^✓ git +2\./m);
  assert.match(out, /^! sandbox +plain processes/m);
  assert.match(out, /^✓ store +.*runs\.db will be made at the first run$/m);
  assert.match(out, /^! model +no model is set\n +Set model in forge\.yaml or FORGE_MODEL/m);
  assert.match(out, /Nothing is broken\. \d to look at \(!\)\.\n$/);
  assert.equal(code, 0);
});

test('every fault of the configuration is a failure, and the rest is looked at all the same', async (t) => {
  const { findings } = place(t, { 'forge.yaml': 'modle: x\nworker: { concurrency: 0 }\n' });
  const { code, of, only } = await findings();
  assert.equal(code, 1);
  assert.deepEqual(
    of('settings').map(({ status }) => status),
    ['fail', 'fail'],
  );
  assert.equal(only('git')?.status, 'ok');
});

describe('models', () => {
  it('name the variable of a key that is missing, and never show one', async (t) => {
    const { findings, doctor } = place(t, {
      'forge.yaml': `${trusted}model: anthropic:m\nagents: { reviewer: { model: "openai:m" } }\n`,
    });
    const environment = { OPENAI_API_KEY: 'sk-very-secret' };
    const { code, only } = await findings(environment);
    assert.equal(code, 1);
    assert.equal(only('model anthropic:m')?.status, 'fail');
    assert.match(only('model anthropic:m')?.message ?? '', /Set ANTHROPIC_API_KEY/);
    assert.equal(only('model openai:m')?.message, 'OPENAI_API_KEY is set');
    assert.equal(only('keys')?.message, 'set: OPENAI_API_KEY');
    assert.doesNotMatch((await doctor([], environment)).out, /very-secret/);
  });

  it('of a provider nobody knows fail', async (t) => {
    const { only } = await place(t).findings({ FORGE_MODEL: 'acme:m' });
    assert.match(only('model acme:m')?.message ?? '', /names no known provider/);
  });

  it('of one’s own servers are asked for there', async (t) => {
    const server = createServer((request, response) => {
      if (request.url !== '/v1/models') response.statusCode = 404;
      response.end(JSON.stringify({ data: [{ id: 'here', owned_by: 'vllm' }] }));
    });
    t.after(() => server.close());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const { findings } = place(t);
    const look = async (model: string) => {
      const { only, all } = await findings({ FORGE_MODEL: model, FORGE_BACKEND_ADDRESSES: url });
      return { finding: only(`model ${model}`), all };
    };
    const there = await look(`vllm:${url}#here`);
    assert.equal(there.finding?.status, 'ok');
    assert.ok(
      there.all.some(({ name, message }) => name === `server ${url}` && /vLLM/.test(message)),
    );
    const missing = await look(`vllm:${url}#gone`);
    assert.deepEqual([missing.finding?.status, missing.finding?.fix], ['fail', 'It has: here.']);
    const away = await look(`vllm:${nobody}#here`);
    assert.match(away.finding?.message ?? '', /nothing answers at/);
  });
});

describe('the store', () => {
  it('that is there is opened', async (t) => {
    const { home, findings } = place(t, { 'forge.yaml': trusted });
    const file = join(home, 'runs.db');
    await (await openStore(file)).close();
    const { only } = await findings({ FORGE_STORE: file });
    assert.deepEqual([only('store')?.status, only('store')?.message], ['ok', file]);
  });

  it('that is something else fails', async (t) => {
    const { findings } = place(t, { 'forge.yaml': 'store: runs.db\n', 'runs.db': 'no database' });
    const { code, only } = await findings();
    assert.deepEqual([code, only('store')?.status], [1, 'fail']);
  });

  it('that does not answer fails, without its password', async (t) => {
    const { findings } = place(t, {
      'forge.yaml': 'store: postgres://me:a-real-password@127.0.0.1:9/d\n',
    });
    const { only } = await findings();
    assert.equal(only('store')?.status, 'fail');
    assert.doesNotMatch(JSON.stringify(only('store')), /a-real-password/);
  });

  it('with a queue that does not answer fails', async (t) => {
    const { only } = await place(t).findings({ FORGE_QUEUE: 'redis://127.0.0.1:9' });
    assert.match(only('queue')?.message ?? '', /nothing answers at 127\.0\.0\.1:9/);
  });
});

describe('the target', () => {
  for (const [what, deploy, status, message] of [
    ['is known', '{ target: process, config: { start: node server.js } }', 'ok', /target process/],
    ['nobody has', '{ target: moon }', 'fail', /There is no target "moon"/],
    ['is set up wrong', '{ target: process, config: {} }', 'fail', /deploy\.config\.start/],
    [
      'calls what is not there',
      '{ target: process, config: { start: no-such-program-here --now } }',
      'fail',
      /calls no-such-program-here, which is not on PATH/,
    ],
  ] as const) {
    it(`that ${what}: ${status}`, async (t) => {
      const { only } = await place(t, { 'forge.yaml': `${trusted}deploy: ${deploy}\n` }).findings();
      assert.equal(only('deploy')?.status, status);
      assert.match(only('deploy')?.message ?? '', message);
    });
  }
});

describe('programs and room', () => {
  for (const [said, status] of [
    ['git version 2.38.0', 'ok'],
    ['git version 2.50.1 (Apple Git-155)', 'ok'],
    ['git version 3.0.0', 'ok'],
    ['git version 2.37.9.windows.1', 'fail'],
    ['git version 1.99', 'fail'],
    ['nonsense', 'warn'],
  ] as const) {
    it(`${said}: ${status}`, () => assert.equal(gitFinding(said).status, status));
  }
  it('an old Node is a failure', () => {
    assert.deepEqual([node('22.1.0').status, node('24.0.0').status], ['fail', 'ok']);
  });
  it('little room is a warning, none a failure', () => {
    const status = (free: number) => roomFinding('disk', free, '/').status;
    assert.deepEqual([5 * 1024 ** 3, 2 ** 29, 2 ** 20].map(status), ['ok', 'warn', 'fail']);
  });
});

describe('sandboxes', () => {
  const works = { available: true, version: '1', cannot: [] } as const;
  const broken = { available: false, problem: 'It is away.', fix: 'Fetch it.' } as const;
  const status = (backend: Settings['sandbox']['backend'], probes: Probes) =>
    sandboxFindings(probes, { backend, network: 'none' })[0];
  it('auto needs one of the two', () => {
    assert.equal(status('auto', { docker: broken, bubblewrap: works })?.status, 'ok');
    const none = status('auto', { docker: broken, bubblewrap: broken });
    assert.equal(none?.status, 'fail');
    assert.match(none?.fix ?? '', /Fetch it\. .*sandbox\.backend: process/);
  });
  it('one that is named has to work itself', () => {
    const failed = status('docker', { docker: broken, bubblewrap: works });
    assert.deepEqual([failed?.status, failed?.fix], ['fail', 'Fetch it.']);
  });
  it('plain processes are a warning, and cannot be held back from the network', () => {
    const probes = { docker: broken, bubblewrap: broken };
    const [free] = sandboxFindings(probes, { backend: 'process', network: 'full' });
    assert.equal(free?.status, 'warn');
    assert.equal(status('process', probes)?.status, 'fail');
  });
});

describe('--12-factor', () => {
  it('passes a project that keeps to what can be seen', async (t) => {
    const { findings } = place(t, {
      'forge.yaml':
        'deploy: { approval: true }\nagents: { translator: { tools: [read], max_iterations: 10 } }\n',
      '.forge/prompts/translator.md': 'Translate.\n',
    });
    const { code, all } = await findings({}, ['--12-factor']);
    assert.deepEqual(
      all.map(({ name }) => name.split(' ')[0]),
      ['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11', 'F12', 'F13'],
    );
    assert.deepEqual(
      all.filter(({ status }) => status !== 'ok').map(({ name }) => name),
      ['F13 pre-fetch'],
    );
    assert.equal(code, 0);
  });

  it('says what each failure is about', async (t) => {
    const { findings } = place(t, {
      'forge.yaml':
        'pipeline: gone.yaml\nagents: { wide: { max_iterations: 50 }, coder: { prompt: gone.md } }\n',
    });
    const { code, all } = await findings({}, ['--12-factor']);
    const failed = all.filter(({ status }) => status === 'fail');
    assert.equal(code, 1);
    assert.deepEqual(
      failed.map(({ name, message }) => `${name.split(' ')[0]} ${message}`),
      [
        'F1 wide: neither tools nor an output schema',
        'F2 wide, coder: the prompt is not there',
        'F7 nothing in this project ever asks a person',
        'F8 gone.yaml is not there',
        'F10 wide: more than 20 tools or 20 turns',
      ],
    );
  });
});

test('a folder that cannot be written to is told of', {
  skip: process.getuid?.() === 0,
}, async (t) => {
  const { home, findings } = place(t);
  chmodSync(home, 0o500);
  const { only } = await findings();
  chmodSync(home, 0o700);
  assert.equal(only('store')?.status, 'fail');
});
