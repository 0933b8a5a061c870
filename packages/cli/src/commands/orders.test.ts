import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { InterruptDesk } from '../interrupts.ts';
import { coder, ground, pipeline, planner } from '../runs/ground.test.ts';

async function shop(options: { approval?: boolean } = {}) {
  const { agent, written } = coder(options);
  const made = await ground({
    agents: [pipeline, planner, agent],
    voices: {
      planner: new ScriptedModel([says('One task.')]),
      coder: new ScriptedModel([calls(['write', { path: 'a.ts' }, '1']), says('It is done.')]),
    },
  });
  return { ...made, written };
}

describe('forge cancel', () => {
  it('ends a run that nobody works on, and all below it', async () => {
    const { forge, runtime, store } = await shop();
    const { id } = await runtime.launch('shop/pipeline', 'x');
    const { code, stdout, stderr } = await forge(['cancel', id, '--reason', 'not needed']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `Run ${id.slice(0, 8)}: cancelled.\n`);
    assert.match((await store.run(id))?.explanation ?? '', /not needed/);
    assert.equal((await forge(['cancel', id])).code, 0, 'again changes nothing');
  });

  it('says so when the run has ended in another way', async () => {
    const { forge, store } = await shop();
    await forge(['run', 'build a shop']);
    const [run] = (await store.runs({ topOnly: true })).items;
    const { code, stderr } = await forge(['cancel', run?.id ?? '']);
    assert.equal(code, 1);
    assert.match(stderr, /has ended already \(completed\)/);
  });
});

describe('forge resume', () => {
  it('goes on with a run whose process died', async () => {
    const { forge, runtime, written } = await shop();
    const { id } = await runtime.launch('shop/pipeline', 'build a shop', { title: 'build a shop' });
    const { code, stdout, stderr } = await forge(['resume', id]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^completed/);
    assert.deepEqual(written, ['a.ts']);
  });

  it('of a run that has ended says so, with its exit code', async () => {
    const { forge, store } = await shop();
    await forge(['run', 'build a shop']);
    const [run] = (await store.runs({ topOnly: true })).items;
    const { code, stderr } = await forge(['resume', run?.id ?? '']);
    assert.equal(code, 0);
    assert.match(stderr, /has ended \(completed\).*\n.*forge fork/);
  });

  it('opens the workshop of the run, with what was said on its command line', async () => {
    const { forge, runtime, opened } = await shop();
    const labels = { 'forge.repo': '/elsewhere', 'forge.flags': '{"model":"m"}' };
    const { id } = await runtime.launch('shop/pipeline', 'x', { labels });
    await forge(['resume', '--detach', id]);
    const last = opened.at(-1);
    assert.deepEqual([last?.repo, last?.flags], ['/elsewhere', { model: 'm' }]);
  });
});

describe('forge approve and forge deny', () => {
  /** A run that waits for a yes, worked on by a process of its own. */
  async function waiting() {
    const made = await shop({ approval: true });
    const asked = Promise.withResolvers<void>();
    const interrupts = new InterruptDesk();
    const running = made.forge(['run', 'build a shop'], {
      interrupts,
      onError: (text) => text.includes('Decide it with') && asked.resolve(),
    });
    await asked.promise;
    return { ...made, running };
  }

  it('shows exactly what will run, and the run goes on', async () => {
    const { forge, running, written, store } = await waiting();
    const list = await forge(['approve', '--list']);
    assert.match(list.stdout, /coder: write a\.ts\n$/);
    const [run] = (await store.runs({ topOnly: true })).items;
    const { code, stdout, stderr } = await forge(['approve', run?.id ?? '']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^coder wants to run write:\n {2}path: a\.ts\n[\s\S]*Approved\.\n$/);
    assert.equal((await running).code, 0);
    assert.deepEqual(written, ['a.ts']);
  });

  it('runs with other arguments where somebody gives them', async () => {
    const { forge, running, written, store } = await waiting();
    const [approval] = (await store.approvals({ state: 'pending' })).items;
    const wrong = await forge(['approve', approval?.id ?? '', '--args', '[1]']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /JSON object/);
    await forge(['approve', approval?.id ?? '', '--args', '{"path": "b.ts"}']);
    assert.equal((await running).code, 0);
    assert.deepEqual(written, ['b.ts']);
  });

  it('a no reaches the agent with its reason, and can be remembered', async () => {
    const { forge, running, written, store } = await waiting();
    const [approval] = (await store.approvals({ state: 'pending' })).items;
    const { code, stdout, stderr } = await forge([
      ...['deny', approval?.id ?? '', '--reason', 'not that file'],
      ...['--always', '--pattern', 'write(a*)', '--json'],
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).rules[0].pattern, 'write(a*)');
    const { stderr: log } = await running;
    assert.match(log, /code {2}is denied it \(.*\): not that file/);
    assert.deepEqual(written, []);
  });

  it('without an id asks which one, and decides nothing', async () => {
    const { forge, running } = await waiting();
    const { code, stderr } = await forge(['approve']);
    assert.equal(code, 2);
    assert.match(stderr, /Which one\? Name it by its id:\n.*coder: write a\.ts/);
    assert.match(
      (await forge(['deny', 'nobody-has-this'])).stderr,
      /Nothing that waits has the id/,
    );
    assert.equal((await forge(['approve', 'x', '--run', '--always'])).code, 2);
    const [pending] = JSON.parse((await forge(['approve', '--list', '--json'])).stdout);
    await forge(['approve', pending.id]);
    await running;
  });
});

describe('forge worker', () => {
  it('works on what is due until it is stopped, and ends with 0', async () => {
    const { forge, runtime, written } = await shop();
    const { id } = await runtime.launch('shop/pipeline', 'build a shop');
    const interrupts = new InterruptDesk();
    const working = forge(['worker', '--concurrency', '2'], { interrupts });
    assert.equal((await runtime.ended(id)).status, 'completed');
    interrupts.press();
    const { code, stderr } = await working;
    assert.equal(code, 0);
    assert.match(stderr, /up to 2 at once/);
    assert.deepEqual(written, ['a.ts']);
  });

  it('works on a run with what its command line asked for', async () => {
    const { forge, runtime, store, opened, folder } = await shop();
    const labels = {
      'forge.repo': folder,
      'forge.flags': JSON.stringify({ deploy: { target: 'moon' } }),
      'forge.config': join(folder, 'other.yaml'),
    };
    const marked = await runtime.launch('shop/pipeline', 'build a shop', { labels });
    const interrupts = new InterruptDesk();
    const working = forge(['worker'], { interrupts });
    assert.equal((await runtime.ended(marked.id)).status, 'completed');
    interrupts.press();
    assert.equal((await working).code, 0);
    const side = opened.map(({ flags, file, repo }) => ({ flags, file, repo }));
    assert.deepEqual(side, [
      { flags: {}, file: undefined, repo: undefined },
      { flags: { deploy: { target: 'moon' } }, file: labels['forge.config'], repo: folder },
    ]);
    assert.equal((await store.run(marked.id))?.strikes, 0);
  });

  it('says so when a run cannot be worked on as it was begun, and goes on with others', async () => {
    const { forge, runtime, openWorkshop, store } = await shop();
    const labels = { 'forge.flags': JSON.stringify({ deploy: { target: 'moon' } }) };
    const marked = await runtime.launch('shop/pipeline', 'x', { labels });
    const told = Promise.withResolvers<void>();
    const interrupts = new InterruptDesk();
    const working = forge(['worker'], {
      interrupts,
      openWorkshop: (options) => {
        if (options.flags.deploy !== undefined) return Promise.reject(new Error('no moon'));
        return openWorkshop(options);
      },
      onError: (text) => {
        if (text.includes('no moon')) told.resolve();
      },
    });
    await told.promise;
    const plain = await runtime.launch('planner', 'plan');
    await runtime.ended(plain.id);
    interrupts.press();
    const { code, stderr } = await working;
    assert.equal(code, 0);
    assert.match(stderr, /^forge: Run \w{8} cannot be worked on as it was begun: no moon$/m);
    assert.equal(stderr.match(/no moon/g)?.length, 1);
    const left = await store.run(marked.id);
    assert.deepEqual([left?.state, left?.strikes], ['open', 0]);
  });
});

describe('forge schedule', () => {
  it('makes, shows, pauses, resumes, fires and ends schedules', async () => {
    const { forge, store } = await shop();
    const added = await forge([
      ...['schedule', 'add', 'tidy up', '--agent', 'planner', '--every', '1h', '--name', 'tidy'],
      '--json',
    ]);
    assert.equal(added.code, 0, added.stderr);
    const { id } = JSON.parse(added.stdout);
    assert.match(
      (await forge(['schedule', 'list'])).stdout,
      /active {2}tidy\n.*tells planner: tidy up/,
    );
    const stateAfter = async (name: string) =>
      JSON.parse((await forge(['schedule', name, id.slice(0, 8), '--json'])).stdout).state;
    assert.equal(await stateAfter('pause'), 'paused');
    assert.equal(await stateAfter('resume'), 'active');
    const fired = JSON.parse((await forge(['schedule', 'run', id, '--json'])).stdout);
    const run = await store.run(fired.runId);
    assert.deepEqual([run?.agent, run?.labels['forge.project']], ['planner', 'shop']);
    assert.equal(await stateAfter('remove'), 'ended');
    assert.equal((await forge(['schedule', 'list'])).stdout, 'There are no schedules.\n');
  });

  for (const [what, flags, words] of [
    ['no time', [], /one of --cron, --every, --at and --in/],
    ['two times', ['--every', '1h', '--cron', '* * * * *'], /one of --cron/],
    ['a span that is none', ['--every', 'soon'], /takes a span such as 30m/],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { forge } = await shop();
      const { code, stderr } = await forge(['schedule', 'add', 'x', ...flags]);
      assert.equal(code, 2);
      assert.match(stderr, words);
    });
  }

  it('tells no agent that the project does not have', async () => {
    const { forge } = await shop();
    const { code, stderr } = await forge([
      'schedule',
      'add',
      'x',
      '--agent',
      'pla',
      '--every',
      '1h',
    ]);
    assert.equal(code, 2);
    assert.match(stderr, /no agent pla in shop\. There are: .*planner/);
  });

  it('says what is wrong with a rule', async () => {
    const { forge } = await shop();
    const { code, stderr } = await forge([
      'schedule',
      'add',
      'x',
      '--agent',
      'planner',
      '--cron',
      'whenever',
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /cron/);
  });
});
