import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { coder, ground, pipeline, planner } from '../runs/ground.test.ts';
import { shortId } from '../runs/short-id.ts';

/** A shop that was built. */
async function built() {
  const { agent } = coder();
  const made = await ground({
    agents: [pipeline, planner, agent],
    voices: {
      planner: new ScriptedModel([says('One task.')]),
      coder: new ScriptedModel([
        calls(['writ', { path: 'a.ts' }, '0']),
        calls(['write', { path: 'a.ts' }, '1']),
        says('It is \u001b[31mdone.'),
      ]),
    },
  });
  const { code, stderr } = await made.forge(['run', 'build a shop']);
  assert.equal(code, 0, stderr);
  const [run] = (await made.store.runs({ topOnly: true })).items;
  assert.ok(run);
  return { ...made, run };
}

describe('forge list', () => {
  it('says so when there is nothing', async () => {
    const { forge } = await ground({ agents: [] });
    assert.deepEqual(await forge(['list']), {
      code: 0,
      stdout: 'No runs found yet.\n',
      stderr: '',
    });
  });

  it('shows runs at the top, newest first, with their state, task, turns and time', async () => {
    const { forge, run, runtime } = await built();
    const long = '長'.repeat(60);
    const later = await runtime.launch('shop/pipeline', 'go', { title: long });
    const { stdout } = await forge(['list']);
    const [, first = '', second = '', ...rest] = stdout.trimEnd().split('\n');
    assert.deepEqual(rest, []);
    const id = later.id.slice(0, 8);
    assert.match(first, new RegExp(`^${id} {2}pending {4}長{15}… {6}0 {2}\\d{4}-`));
    assert.match(
      second,
      new RegExp(
        `^${run.id.slice(0, 8)}  completed  build a shop +\\d+  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$`,
      ),
    );
  });

  it('shows all runs, those of a state, or only some', async () => {
    const { forge } = await built();
    const count = async (...flags: string[]) =>
      JSON.parse((await forge(['list', '--json', ...flags])).stdout).length;
    assert.equal(await count(), 1);
    assert.equal(await count('--all'), 3);
    assert.equal(await count('--all', '--limit', '2'), 2);
    assert.equal(await count('--state', 'failed'), 0);
    assert.equal((await forge(['list', '--state', 'asleep'])).code, 2);
    assert.equal((await forge(['list', '--limit', '0'])).code, 2);
  });
});

describe('a run by its id', () => {
  it('is found by the beginning of it, where only one begins so', async () => {
    const { forge, run, store } = await built();
    const byPrefix = await forge(['status', run.id.slice(0, 8), '--json']);
    assert.equal(JSON.parse(byPrefix.stdout).id, run.id);
    for (const id of ['twin-1', 'twin-2']) await store.createRun({ id, agent: 'pipeline' });
    const { code, stderr } = await forge(['status', 'twin']);
    assert.equal(code, 1);
    assert.match(stderr, /2 runs begin with twin.*\n {2}twin-2 .*\n {2}twin-1 /);
  });

  it('is found below another one by its short id, and what is below it is not meant', async () => {
    const { forge, store } = await built();
    const top = 'aaaaaaaa-0000-4000-8000-000000000000';
    const child = `${top}.2.cfcda1eb2bf72b70`;
    const rows = [[top], [child, top], [`${child}.5.dd69b743ada1bdb3`, child]] as const;
    for (const [id, parentId] of rows) {
      const parent = parentId && { parent: { runId: parentId, callId: `call-${id}` } };
      await store.createRun({ id, agent: 'coder', ...parent });
    }
    for (const [id] of rows) {
      const { stdout, stderr } = await forge(['status', shortId(id), '--json']);
      assert.equal(stderr, '');
      assert.equal(JSON.parse(stdout).id, id);
    }
    assert.equal(shortId(child), 'aaaaaaaa.2.cfcd');
  });

  it('that nobody has is an error', async () => {
    const { forge } = await built();
    for (const command of ['status', 'logs', 'inspect', 'cancel', 'resume', 'replay']) {
      const { code, stderr, stdout } = await forge([command, 'nobody-has-this']);
      assert.deepEqual([code, stdout], [1, ''], command);
      assert.match(stderr, /^forge: Run not found: nobody-has-this/, command);
    }
  });
});

describe('forge logs', () => {
  it('tells what happened in the whole family, in order, with nothing that acts', async () => {
    const { forge, run } = await built();
    const { code, stdout } = await forge(['logs', run.id]);
    assert.equal(code, 0);
    assert.equal(stdout.includes('\u001b'), false);
    const order = [
      /pipeline {2}begins: build a shop/,
      /plan {2}begins: build a shop/,
      /plan {2}answers: One task\./,
      /code {2}is sent back \(retry\): .*writ/,
      /code {2}write a\.ts/,
      /code {2}answers: It is done\./,
      /pipeline {2}completed/,
    ].map((line) => stdout.search(line));
    assert.ok(
      order.every((place) => place >= 0),
      stdout,
    );
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
  });

  it('--verbose tells the rest, and --json gives the events', async () => {
    const { forge, run, store } = await built();
    assert.match((await forge(['logs', run.id, '--verbose'])).stdout, /turn 1: asks scripted/);
    const { stdout } = await forge(['logs', run.id, '--json']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const runs = (await store.runs({ rootId: run.id })).items;
    assert.equal(
      lines.length,
      runs.reduce((sum, { seq }) => sum + seq, 0),
    );
  });

  it('-f goes on until the run has ended', async () => {
    const { forge, runtime, store, file, folder } = await ground({
      agents: [planner],
      voices: { planner: new ScriptedModel([says('Hello.')]) },
    });
    const { id } = await runtime.launch('planner', 'Hi.');
    const following = forge(['logs', '-f', id]);
    const { testWorkshop } = await import('../runs/ground.test.ts');
    const workshop = await testWorkshop({
      ...{ file, folder },
      agents: [planner],
      voices: { planner: new ScriptedModel([says('Hello.')]) },
    });
    const worker = await workshop.startWorker();
    const { code, stdout } = await following;
    await worker.stop();
    await workshop.close();
    assert.equal(code, 0);
    assert.match(stdout, /planner {2}begins: Hi\.\n.*planner {2}answers: Hello\.\n.*completed/);
    assert.equal((await store.run(id))?.state, 'completed');
  });
});

describe('forge inspect', () => {
  it('shows the tree with what came of each step, and what can be done next', async () => {
    const { forge, run } = await built();
    const { code, stdout } = await forge(['inspect', run.id]);
    assert.equal(code, 0);
    assert.match(stdout, /^completed {2}build a shop\n/);
    assert.match(stdout, new RegExp(`\n {2}run {6}${run.id}\n`));
    assert.match(stdout, /\n {2}branch {3}forge\/shop\n/);
    assert.match(stdout, /├─ ✓ plan {2}.*planner\n│ {4}One task\.\n/);
    assert.match(stdout, /└─ ✓ code {2}.*coder\n {5}1 nudge\n/);
    const id = run.id.slice(0, 8);
    assert.match(stdout, new RegExp(`forge fork ${id} --at ${run.seq}`));
    assert.match(stdout, new RegExp(`forge replay ${id}`));
    const [, step = ''] = /a step {3}forge logs (\S+)/.exec(stdout) ?? [];
    assert.match((await forge(['logs', step])).stdout, /^\S+ {2}planner {2}begins: build a shop/);
    assert.equal(stdout.includes('\u001b'), false);
  });

  it('--json has every step with its numbers', async () => {
    const { forge, run, store } = await built();
    const { steps, totals, outcomes } = JSON.parse(
      (await forge(['inspect', run.id, '--json'])).stdout,
    );
    const runs = (await store.runs({ rootId: run.id })).items;
    assert.deepEqual(
      steps.map(({ name, agent, state, round }: Record<string, unknown>) => [
        name,
        agent,
        state,
        round,
      ]),
      [
        ['build a shop', 'pipeline', 'completed', 1],
        ['plan', 'planner', 'completed', 1],
        ['code', 'coder', 'completed', 1],
      ],
    );
    assert.equal(
      totals.events,
      runs.reduce((sum, { seq }) => sum + seq, 0),
    );
    assert.equal(outcomes.length, 3);
  });

  it('--at shows the run as it was then', async () => {
    const { forge, run } = await built();
    const { stdout } = await forge(['inspect', run.id, '--at', '2']);
    assert.match(stdout, new RegExp(`after event 2 of ${run.seq}\n`));
    assert.match(stdout, /\n1 {2}.*begins/);
    assert.match(stdout, new RegExp(`forge fork ${run.id.slice(0, 8)} --at 2`));
    const beyond = await forge(['inspect', run.id, '--at', '999']);
    assert.equal(beyond.code, 1);
    assert.match(beyond.stderr, /there is no event 999/);
  });
});

describe('forge status', () => {
  it('shows the project, its runs and its figures', async () => {
    const { forge, run, store } = await built();
    await store.deployments.begin({
      ...{ id: 'd-1', project: 'shop', target: 'process', commit: 'c'.repeat(40), startedAt: 1 },
    });
    await store.deployments.change('d-1', ['building'], {
      ...{ state: 'live', url: 'http://127.0.0.1:1', verified: true },
    });
    const { stdout } = await forge(['status', '--json']);
    const status = JSON.parse(stdout);
    assert.deepEqual(
      [status.projectName, status.deployTarget, status.live.id, status.activeRuns],
      ['shop', null, 'd-1', []],
    );
    const [recent] = status.recentRuns;
    assert.deepEqual(
      [recent.pipelineId, recent.success, recent.agentCount, typeof recent.durationMs],
      [run.id, true, 2, 'number'],
    );
    assert.deepEqual(status.stats, {
      totalRuns: 1,
      totalDeployments: 1,
      successRate: 1,
      totalFeedback: 0,
    });
    const text = (await forge(['status'])).stdout;
    assert.match(
      text,
      /^shop\nlive {2}cccccccccccc at http:\/\/127\.0\.0\.1:1 on process, verified/,
    );
    assert.match(text, /completed +build a shop +\d+s {2}2 agent runs/);
    assert.match(text, /1 run, 100 % completed, 1 deployment/);
  });

  it('says how to begin where there is nothing', async () => {
    const { forge } = await ground({ agents: [] });
    const { code, stdout } = await forge(['status']);
    assert.equal(code, 0);
    assert.match(stdout, /No runs found yet\. Begin one: forge run/);
    assert.equal(JSON.parse((await forge(['status', '--json'])).stdout).stats.successRate, null);
  });

  it('of one run says how it stands', async () => {
    const { forge, run } = await built();
    const { code, stdout } = await forge(['status', run.id]);
    assert.equal(code, 0);
    assert.match(stdout, /^completed {2}build a shop\n {2}id +/);
    const json = JSON.parse((await forge(['status', run.id, '--output-format', 'json'])).stdout);
    assert.deepEqual([json.state, json.task], ['completed', 'build a shop']);
  });
});

describe('forge replay', () => {
  it('finds every decision the same', async () => {
    const { forge, run } = await built();
    const { code, stdout } = await forge(['replay', run.id, '--json']);
    assert.equal(code, 0, stdout);
    const { same, runs } = JSON.parse(stdout);
    assert.deepEqual([same, runs.length], [true, 3]);
  });
});

describe('forge fork', () => {
  it('goes another way from an event on, and leaves the run as it was', async () => {
    const { forge, run, store } = await built();
    const { code, stdout } = await forge(['fork', run.id, '--at', '1', '--title', 'again']);
    assert.equal(code, 0);
    const fork = await store.run(stdout.trim());
    assert.deepEqual([fork?.seq, fork?.title, fork?.state], [1, 'again', 'open']);
    assert.equal((await store.run(run.id))?.seq, run.seq);
    assert.equal((await forge(['fork', run.id, '--at', '999'])).code, 1);
    assert.equal((await forge(['fork', run.id])).code, 2);
  });
});

describe('forge feedback', () => {
  it('is kept with the run, and counted', async () => {
    const { forge, run, store } = await built();
    const { code, stdout, stderr } = await forge(['feedback', run.id, 'bad', '--note', 'no tests']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /kept with run/);
    const [outcome] = (await store.outcomes({ kind: 'human' })).items;
    assert.deepEqual(
      [outcome?.runId, outcome?.verdict, outcome?.note],
      [run.id, 'failure', 'no tests'],
    );
    assert.equal((await store.run(run.id))?.state, 'completed');
    assert.equal(JSON.parse((await forge(['status', '--json'])).stdout).stats.totalFeedback, 1);
    assert.match((await forge(['inspect', run.id])).stdout, /: failure, no tests/);
    assert.equal((await forge(['feedback', run.id, 'so-so'])).code, 2);
  });
});
