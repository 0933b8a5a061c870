import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Agent, defineAgent, defineTool } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import type { Review } from '@forge/pipeline';
import type { Deployer } from '@forge/targets';
import { ground } from '../runs/ground.test.ts';

const commit = 'c'.repeat(40);

/** A coder on its own, which ends with what a coding agent ends with. */
function codingAgent(): Agent {
  const write = defineTool({
    name: 'write',
    description: 'Write a file',
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    run: () => 'written',
  });
  return defineAgent({ name: 'agent', tools: [write] });
}

const code = JSON.stringify({
  ...{
    commit,
    summary: 'Two \u001b[31mfiles.',
    files: ['a.ts', 'b.ts'],
    checks: [],
    branch: 'forge/x',
  },
});

async function worked(lines: ConstructorParameters<typeof ScriptedModel>[0]) {
  return ground({ agents: [codingAgent()], voices: { agent: new ScriptedModel(lines) } });
}

const twoFiles = [
  calls(['write', { path: 'a.ts' }, '1'], ['write', { path: 'a.ts' }, '2']),
  calls(['write', { path: 'b.ts' }, '3']),
  says(code),
];

describe('forge agent', () => {
  it('prints one object on the standard output, and the box beside it', async () => {
    const { forge, folder } = await worked(twoFiles);
    const {
      code: exit,
      stdout,
      stderr,
    } = await forge([
      ...['agent', 'write two files', '--output-format', 'JSON'],
      ...['--report-file', 'out/deep/report.json'],
    ]);
    assert.equal(exit, 0, stderr);
    assert.equal(stdout.trimEnd().split('\n').length, 1);
    const result = JSON.parse(stdout);
    assert.equal(result.schema_version, 'agent-forge-run-result-v1');
    assert.deepEqual(
      [result.state, result.task, result.iterations, result.branch, result.error],
      ['completed', 'write two files', 3, 'forge/x', null],
    );
    assert.ok(existsSync(result.artifacts.run_json));
    assert.ok(existsSync(result.artifacts.events_jsonl));
    const report = readFileSync(join(folder, 'out/deep/report.json'), 'utf8');
    assert.equal(report, `${JSON.stringify(result, null, 2)}\n`);
    const box = stderr.split('\n').filter((line) => /^[╭│╰]/.test(line));
    assert.ok(
      box.every((line) => line.length === 58),
      stderr,
    );
    assert.match(box.join('\n'), /Status +✓ completed/);
    assert.match(box.join('\n'), /write +3 × \d+ ms/);
    assert.match(box.join('\n'), /Files modified +│\n│ {3}a\.ts +│\n│ {3}b\.ts +│/);
  });

  it('ends with 1 when the agent fails or runs into a limit', async () => {
    const { forge } = await worked([new Error('no such model')]);
    const { code: exit, stdout } = await forge(['agent', 'x', '--output-format', 'json']);
    assert.equal(exit, 1);
    const result = JSON.parse(stdout);
    assert.equal(result.state, 'failed');
    assert.match(result.error, /no such model/);
  });

  it('says the whole reason at its end', async () => {
    const { forge } = await worked([new Error(`no such model ${'and so on '.repeat(50)}indeed`)]);
    const { stderr } = await forge(['agent', 'x']);
    assert.match(stderr, /^forge: .*no such model .* indeed/m);
  });

  it('turns its flags into settings, whatever case their values have', async () => {
    const { forge, opened } = await worked([]);
    await forge([
      ...['agent', 'x', '--detach', '--provider', 'Anthropic', '--model', 'm', '--no-network'],
      ...['--sandbox-backend', 'BWRAP', '--command-timeout', '60', '--max-iterations', '7'],
      ...['--queue', 'Redis', '--redis-url', 'redis://h:1/0', '--max-concurrent-runs', '0'],
    ]);
    assert.deepEqual(opened.at(-1)?.flags, {
      model: 'anthropic:m',
      agents: { agent: { max_iterations: 7 } },
      queue: 'redis://h:1/0',
      worker: { concurrency: 1_000 },
      sandbox: { backend: 'bubblewrap', network: 'none', command_timeout_s: 60 },
    });
  });

  it('knows a model for a provider that is named alone', async () => {
    const { forge, opened } = await worked([]);
    await forge(['agent', 'x', '--detach', '--provider', 'openai']);
    assert.equal(opened.at(-1)?.flags.model, 'openai:gpt-4o');
  });

  for (const [flags, words] of [
    [['--provider', 'acme'], /Unknown provider: 'acme'\. Available: openai, /],
    [['--provider', 'vllm'], /no usual model/],
    [['--sandbox-backend', 'cage'], /takes one of: auto, docker, bwrap/],
    [['--output-format', 'xml'], /takes one of: text, json/],
    [['--queue', 'pigeon'], /takes one of: memory, store, redis/],
    [['--max-iterations', 'many'], /whole number/],
  ] as const) {
    it(`refuses ${flags.join(' ')} with 2`, async () => {
      const { forge, store } = await worked([]);
      const { code: exit, stderr } = await forge(['agent', 'x', ...flags]);
      assert.equal(exit, 2);
      assert.match(stderr, words);
      assert.deepEqual((await store.runs()).items, []);
    });
  }

  it('needs a task, by argument or by flag', async () => {
    const { forge, store } = await worked([]);
    const { code: exit, stderr } = await forge(['agent']);
    assert.equal(exit, 2);
    assert.match(stderr, /task is empty/);
    await forge(['agent', '--task', 'write', '--detach']);
    assert.equal((await store.runs()).items[0]?.title, 'write');
  });
});

describe('what a model says at the end of forge agent', () => {
  it('does nothing to the terminal', async () => {
    const { forge } = await worked(twoFiles);
    const { stdout, stderr } = await forge(['agent', 'write two files']);
    assert.match(stdout, /^Two .*files\.\nbranch forge\/x\n$/);
    assert.equal((stdout + stderr).includes('\u001b'), false);
  });
});

describe('forge review', () => {
  const review = (verdict: 'pass' | 'fail'): Review => ({
    verdict,
    summary: 'Looked at all of it.',
    findings: [
      { severity: 'low', file: 'b.ts', message: 'A name.' },
      { severity: 'critical', file: 'a.ts', line: 12, message: 'It deletes everything.' },
    ],
    checks: [{ command: 'npm test', passed: true, exitCode: 0, output: '' }],
    commit,
  });
  const reviewed = (verdict: 'pass' | 'fail') =>
    ground({
      agents: [defineAgent({ name: 'review' })],
      voices: { review: new ScriptedModel([says(JSON.stringify(review(verdict)))]) },
    });

  it('shows findings, the worst first, and ends with 1 for a fail', async () => {
    const { forge } = await reviewed('fail');
    const { code: exit, stdout } = await forge(['review', 'main..HEAD']);
    assert.equal(exit, 1);
    assert.equal(
      stdout,
      [
        'critical  a.ts:12',
        '          It deletes everything.',
        'low       b.ts',
        '          A name.',
        'passed    npm test',
        'fail  2 findings. Looked at all of it.',
        '',
      ].join('\n'),
    );
  });

  it('ends with 0 for a pass, and gives programs one object', async () => {
    const { forge } = await reviewed('pass');
    const { code: exit, stdout } = await forge(['review', '--json']);
    assert.equal(exit, 0);
    const { verdict, findings, run_id } = JSON.parse(stdout);
    assert.deepEqual([verdict, findings.length, typeof run_id], ['pass', 2, 'string']);
  });
});

describe('forge review of a path', () => {
  it('is that of a repository, and never of a part of one', async () => {
    const { forge, opened, folder } = await ground({
      agents: [defineAgent({ name: 'review' })],
      voices: { review: new ScriptedModel([says('Nothing to say.')]) },
    });
    const other = join(folder, 'other');
    mkdirSync(join(other, 'src'), { recursive: true });
    execFileSync('git', ['init', '--quiet', other]);
    const part = await forge(['review', 'other/src']);
    assert.equal(part.code, 2);
    assert.match(part.stderr, /other\/src is a part of .*changes are reviewed as a whole/);
    const both = await forge(['review', 'other', '--repo', 'other']);
    assert.match(both.stderr, /other is a path, and --repo names a repository/);
    assert.equal(opened.length, 0);
    await forge(['review', 'other']);
    assert.equal(opened.at(-1)?.repo, other);
  });
});

describe('forge deploy', () => {
  it('ends with 1 for a deployment that was not verified', async () => {
    const outputs = ['pass', 'fail'].map((verdict) => says(JSON.stringify({ verdict })));
    const { forge, opened } = await ground({
      agents: [defineAgent({ name: 'deploy' })],
      voices: { deploy: new ScriptedModel(outputs) },
    });
    assert.equal((await forge(['deploy', '--target', 'process'])).code, 0);
    assert.deepEqual(opened.at(-1)?.flags, { deploy: { target: 'process' } });
    assert.equal((await forge(['deploy'])).code, 1);
  });
});

describe('forge rollback', () => {
  const row = {
    ...{ project: 'shop', target: 'process', tenant: undefined, commit, digest: 'sha256:1' },
    ...{ url: 'http://127.0.0.1:1', verified: true, reason: undefined, replaces: undefined },
    ...{ runId: undefined, detail: {}, startedAt: 1, endedAt: undefined },
  };
  /** Goes back to the first, and keeps what it was asked. */
  async function deployed() {
    const asked: unknown[] = [];
    const refuse = () => Promise.reject(new Error('not in this test'));
    const deployer: Deployer = {
      ...{ check: refuse, deploy: refuse, verify: refuse, withdraw: refuse, health: refuse },
      history: refuse,
      rollback: async ({ signal: _, tell: __, ...rest }) => {
        asked.push(rest);
        return { ...row, id: 'first', state: 'live' };
      },
    };
    const settings = { deploy: { target: 'process', config: { start: 'x' } } };
    const all = await ground({
      agents: [],
      settings,
      workshop: { deployer: async () => deployer },
    });
    for (const [startedAt, id] of ['first', 'second'].entries()) {
      await all.store.deployments.begin({
        id,
        project: 'shop',
        target: 'process',
        commit,
        startedAt,
      });
      const how = { alsoReplaces: true };
      await all.store.deployments.change(id, ['building'], { state: 'live' }, how);
    }
    return { asked, ...all };
  }

  it('gives the traffic back, with a reason', async () => {
    const { forge, asked } = await deployed();
    const { code: exit, stdout, stderr } = await forge(['rollback', 'sec', '--reason', 'slow']);
    assert.equal(exit, 0, stderr);
    assert.match(stdout, /^first has the traffic again: commit cccccccccccc at http/);
    assert.deepEqual(asked, [
      {
        project: 'shop',
        target: 'process',
        config: { start: 'x' },
        reason: 'slow',
        from: 'second',
      },
    ]);
  });

  it('shows what there was, and names no deployment that is not there', async () => {
    const { forge, asked } = await deployed();
    assert.match(
      (await forge(['rollback', '--list'])).stdout,
      /^second {2}live .*\nfirst {2}replaced /,
    );
    const { code: exit, stderr } = await forge(['rollback', 'third']);
    assert.equal(exit, 1);
    assert.match(stderr, /no deployment third of shop/);
    assert.deepEqual(asked, []);
  });
});
