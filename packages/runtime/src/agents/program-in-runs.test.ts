import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Agent, defineAgent, defineProgram, defineTool, type Outcome } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { ground, voices } from '../approvals/ground.test.ts';
import { replayLog } from '../control/replay-log.ts';
import { askHuman } from '../human/ask-human.ts';
import { agentTool } from './agent-tool.ts';

const nodes = ['left', 'right', 'last'] as const;
const tools = nodes.map((agent) => agentTool({ agent, description: agent }));

/** Two side by side; the third once the left one is done, whatever the right one does. */
const boss = defineProgram({
  name: 'boss',
  tools,
  program: ({ calls: made }) => {
    const of = (name: string) => made.find((call) => call.name === name);
    const start = (...names: readonly string[]) => ({
      type: 'call' as const,
      calls: names.map((name) => ({ id: `${name}#1`, name, args: { task: name } })),
    });
    if (made.length === 0) return start('left', 'right');
    const failed = made.find(({ status }) => status === 'failed');
    if (failed !== undefined) {
      return { type: 'fail', explanation: `${failed.name}: ${failed.text}` };
    }
    if (of('left')?.status === 'ok' && of('last') === undefined) return start('last');
    if (made.some(({ status }) => status === 'open')) return start();
    return { type: 'finish', output: made.map(({ text }) => text).join(' ') };
  },
});

/** Answers once it is let go. */
const slow = () => {
  const gate = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    run: () => gate.promise,
  });
  return { wait, open: () => gate.resolve() };
};

const speaks = (text: string) => new ScriptedModel([says(text)]);

async function firm(...agents: readonly Agent[]) {
  const all = await ground([boss, ...agents]);
  const outcomes = async (runId: string) => {
    const events = await all.store.events(runId);
    return events.filter((event) => 'type' in event && event.type === 'outcome.recorded');
  };
  return { ...all, outcomes };
}

describe('a program in a durable run', () => {
  it('starts children side by side and goes on at each result', async () => {
    const { wait, open } = slow();
    const right = defineAgent({ name: 'right', tools: [wait] });
    const { work, runtime, store } = await firm(
      defineAgent({ name: 'left' }),
      right,
      defineAgent({ name: 'last' }),
    );
    const last = new ScriptedModel([
      () => {
        open(); // The right one can only end after the last one has begun.
        return says('c');
      },
    ]);
    const waits = new ScriptedModel([calls(['wait', {}, 'w']), says('b')]);
    work(voices({ left: speaks('a'), right: waits, last }));
    const { id } = await runtime.launch('boss', 'Go.', { labels: { project: 'p' } });
    const { status, state } = await runtime.ended(id);
    assert.equal(status, 'completed');
    assert.equal(state.output?.text, 'a b c');
    const { items } = await store.runs({ parentId: id });
    assert.deepEqual(new Set(items.map(({ labels }) => labels.project)), new Set(['p']));
    const events = (await store.events(id)).flatMap((event) => ('type' in event ? [event] : []));
    assert.deepEqual(replayLog(boss, events).divergences, []);
  });

  it('that fails ends its children', async () => {
    const { wait } = slow();
    const { work, runtime, store } = await firm(
      defineAgent({ name: 'left' }),
      defineAgent({ name: 'right', tools: [wait] }),
    );
    const left = new ScriptedModel([new Error('no voice')]);
    work(voices({ left, right: new ScriptedModel([calls(['wait', {}, 'w'])]) }));
    const { id } = await runtime.launch('boss', 'Go.');
    const { run } = await runtime.ended(id);
    assert.deepEqual([run.state, run.reason], ['failed', 'program_failed']);
    assert.match(run.explanation ?? '', /left: .*no voice/);
    const [right] = (await store.runs({ parentId: id, agent: 'right' })).items;
    assert.equal((await runtime.ended(right?.id ?? '')).status, 'cancelled');
  });
});

describe('a program that was written anew while it ran', () => {
  it('still ends the children of calls it knows no more', async () => {
    const { wait } = slow();
    const right = defineAgent({ name: 'right', tools: [wait] });
    const left = defineAgent({ name: 'left', tools: [wait] });
    const { work, runtime, store, event } = await firm(left, right);
    const speak = () => new ScriptedModel([calls(['wait', {}, 'w']), says('late')]);
    const first = work(voices({ left: speak(), right: speak() }));
    const { id } = await runtime.launch('boss', 'Go.');
    await event(id, 'tool.started');
    const [child] = (await store.runs({ parentId: id, agent: 'right' })).items;
    await event(child?.id ?? '', 'tool.started');
    await first.stop({ grace: 0 });
    const shorter = defineProgram({
      name: 'boss',
      tools: tools.filter(({ spec }) => spec.name !== 'right'),
      program: () => ({ type: 'call', calls: [] }),
    });
    work(voices({ left: speak(), right: speak() }), { agents: [shorter, left, right] });
    await runtime.cancel(id);
    assert.equal((await runtime.ended(id)).status, 'cancelled');
    assert.equal((await runtime.ended(child?.id ?? '')).status, 'cancelled');
  });
});

describe('a run that cannot be worked on', () => {
  it('is let go of as well, so that what it holds is freed', async () => {
    const broken = defineProgram({
      name: 'broken',
      tools,
      program: () => assert.fail('a bug of its own'),
    });
    const { work, runtime } = await firm(broken);
    const rests: string[] = [];
    const onRest = (runId: string, end: string) => rests.push(`${runId} ${end}`);
    const worker = work(voices({}), { maxStrikes: 1, onProblem: () => {}, onRest });
    const { id } = await runtime.launch('broken', 'Go.');
    assert.equal((await runtime.ended(id)).run.state, 'dead');
    await worker.idle();
    assert.ok(rests.includes(`${id} broken`), rests.join());
  });
});

describe('the end of a run', () => {
  it('is recorded as an outcome, with what its agent makes of it', async () => {
    const judge = () => ({ kind: 'review', verdict: 'failure', note: 'sent back' }) as const;
    const reviewer = defineAgent({
      name: 'reviewer',
      taskType: 'review',
      version: 'reviewer@1',
      judge,
    });
    const { work, runtime, outcomes } = await firm(reviewer);
    work(voices({ reviewer: speaks('no') }));
    const { id } = await runtime.launch('reviewer', 'Look.');
    await runtime.ended(id);
    const [outcome, ...others] = await outcomes(id);
    assert.deepEqual(others, []);
    const { kind, verdict, taskType, promptVersion, model } = outcome as unknown as Outcome;
    assert.deepEqual(
      { kind, verdict, taskType, promptVersion, model },
      {
        kind: 'review',
        verdict: 'failure',
        taskType: 'review',
        promptVersion: 'reviewer@1',
        model: 'scripted',
      },
    );
  });

  it('may be followed by what a person thinks of it, and stays the end', async () => {
    const left = defineAgent({ name: 'left' });
    const { work, runtime, outcomes, event } = await firm(left);
    let now = Date.now();
    work(voices({ left: speaks('a') }), { now: () => now });
    const { id } = await runtime.launch('left', 'Go.');
    const { finishedAt } = (await runtime.ended(id)).run;
    now += 60_000;
    await runtime.verdict(id, { verdict: 'failure', by: 'reader', note: 'wrong city' });
    await event(id, 'outcome.recorded', ({ kind }) => kind === 'human');
    const { run } = await runtime.ended(id);
    assert.deepEqual([run.state, run.finishedAt], ['completed', finishedAt]);
    const [, said] = (await outcomes(id)) as unknown as Outcome[];
    assert.deepEqual([said?.kind, said?.by, said?.note], ['human', 'reader', 'wrong city']);
  });

  it('comes at its time limit, though a tool hangs', async () => {
    const { wait } = slow();
    const left = defineAgent({ name: 'left', tools: [wait], limits: { duration: 50 } });
    const { work, runtime } = await firm(left);
    work(voices({ left: new ScriptedModel([calls(['wait', {}, 'w'])]) }));
    const { id } = await runtime.launch('left', 'Go.');
    assert.equal((await runtime.ended(id)).run.reason, 'time_limit');
  });
});

describe('a family of runs', () => {
  it('is paused and goes on as one', async () => {
    const { wait, open } = slow();
    const { work, runtime, event, store } = await firm(
      defineAgent({ name: 'left', tools: [wait] }),
      defineAgent({ name: 'right' }),
      defineAgent({ name: 'last' }),
    );
    const left = new ScriptedModel([calls(['wait', {}, 'w']), says('a')]);
    work(voices({ left, right: speaks('b'), last: speaks('c') }));
    const { id } = await runtime.launch('boss', 'Go.');
    await event(id, 'tool.finished');
    const [child] = (await store.runs({ parentId: id, agent: 'left' })).items;
    await event(child?.id ?? '', 'tool.started');
    await runtime.pauseFamily(id, { by: 'somebody' });
    await event(child?.id ?? '', 'run.paused');
    open();
    await event(child?.id ?? '', 'tool.finished');
    assert.equal(left.requests.length, 1);
    await runtime.resumeFamily(id);
    assert.equal((await runtime.ended(id)).state.output?.text, 'a b c');
  });
});

describe('the time of a run', () => {
  it('stands still while it is paused', async () => {
    const left = defineAgent({ name: 'left', limits: { duration: 60_000 } });
    const { work, runtime, event } = await firm(left);
    let now = Date.now();
    await runtime.pause((await runtime.launch('left', 'Go.', { id: 'r' })).id);
    work(voices({ left: speaks('a') }), { now: () => now });
    await event('r', 'run.paused');
    now += 3_600_000;
    await runtime.resume('r');
    assert.equal((await runtime.ended('r')).status, 'completed');
  });

  it('stands still between its end and what is said to it next, and goes on then', async () => {
    const left = defineAgent({ name: 'left', tools: [askHuman()], limits: { duration: 60_000 } });
    const { work, runtime, store } = await firm(left);
    let now = Date.now();
    const model = new ScriptedModel([says('a'), calls(['ask_human', { question: 'Well?' }])]);
    const worker = work(voices({ left: model }), { now: () => now });
    await runtime.launch('left', 'Go.', { id: 'r' });
    await runtime.ended('r');
    now += 3_600_000;
    await runtime.send('r', 'Once more.');
    await worker.idle();
    assert.equal((await runtime.view('r')).status, 'waiting_for_answer');
    const { deadline = 0 } = await store.timers('r');
    assert.ok(deadline > now && deadline <= now + 60_000);
  });
});
