import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Agent, defineAgent, defineTool, type Model } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { openStore } from '@forge/store';
import { createRuntime } from '../control/create-runtime.ts';
import { createWorker } from './create-worker.ts';
import type { Worker, WorkerOptions } from './worker.ts';

async function ground() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-runtime-'));
  const file = join(folder, 'runs.sqlite');
  const store = await openStore(file);
  const workers: Worker[] = [];
  after(async () => {
    for (const worker of workers) await worker.stop({ grace: 0 });
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const workerOn = (agents: readonly Agent[], model: Model, more: Partial<WorkerOptions> = {}) => {
    const worker = createWorker({
      store,
      agents,
      model,
      onProblem: ({ error }) => assert.fail(error instanceof Error ? error : String(error)),
      ...more,
    });
    workers.push(worker);
    return worker;
  };
  return { store, file, workerOn, runtime: createRuntime({ store }) };
}

const search = defineTool({
  name: 'search',
  description: 'Search',
  input: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  run: ({ query }) => `found ${String(query)}`,
});
const pay = defineTool({
  name: 'pay',
  description: 'Pay',
  input: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
  approval: true,
  run: ({ amount }) => `paid ${String(amount)}`,
});

describe('a slow tool', () => {
  it('does not hold up the run: its result comes late and starts a turn', async () => {
    const { runtime, workerOn } = await ground();
    const done = Promise.withResolvers<string>();
    const slow = defineTool({
      name: 'slow',
      description: 'Slow',
      input: { type: 'object' },
      backgroundAfter: 1,
      run: () => done.promise,
    });
    const model = new ScriptedModel([calls(['slow', {}, 's']), says('It runs.'), says('42.')]);
    workerOn([defineAgent({ name: 'patient', tools: [slow] })], model);
    const { id } = await runtime.launch('patient', 'Go.');
    await until(async () => (await runtime.view(id)).state.output?.text === 'It runs.');
    done.resolve('the answer is 42');
    await untilEnded(runtime, id);
    assert.equal((await runtime.view(id)).state.output?.text, '42.');
  });
});

describe('people', () => {
  it('pause a run, let it go on, and cancel it', async () => {
    const { runtime, workerOn } = await ground();
    const begun = Promise.withResolvers<void>();
    const hang = defineTool({
      name: 'hang',
      description: 'Hangs',
      input: { type: 'object' },
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          begun.resolve();
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const model = new ScriptedModel([says('One.'), calls(['hang', {}, 'h'])]);
    workerOn([defineAgent({ name: 'a', tools: [hang], standing: true })], model);
    const { id } = await runtime.launch('a', 'First.');
    await runtime.settled(id);
    await runtime.pause(id, { by: 'me', reason: 'wait' });
    await until(async () => (await runtime.view(id)).status === 'paused');
    await runtime.send(id, 'Second.');
    assert.equal((await runtime.view(id)).status, 'paused');
    await runtime.resume(id);
    await begun.promise;
    await runtime.cancel(id, { by: 'me' });
    const { status, state } = await untilEnded(runtime, id);
    assert.equal(status, 'cancelled');
    assert.match(JSON.stringify(state.window), /\[Cancelled\]/);
  });

  it('interrupt a model that is still speaking', async () => {
    const { runtime, workerOn } = await ground();
    const speaking = Promise.withResolvers<void>();
    let asked = 0;
    const model: Model = {
      id: 'slow',
      complete: async (_request, { signal }) => {
        asked += 1;
        if (asked > 1) return says('Yes?');
        speaking.resolve();
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    };
    workerOn([defineAgent({ name: 'a' })], model);
    const { id } = await runtime.launch('a', 'Tell me all.');
    await speaking.promise;
    await runtime.send(id, 'Stop!', { mode: 'interrupt' });
    const { state } = await untilEnded(runtime, id);
    assert.equal(state.output?.text, 'Yes?');
    assert.match(JSON.stringify(state.window), /Stop!/);
  });
});

describe('a worker that is gone', () => {
  it('leaves its runs to the next: what is safe runs again, what is not is shown', async () => {
    const { runtime, workerOn } = await ground();
    let ran = 0;
    const hangOnce = (idempotent: boolean) =>
      defineTool({
        name: idempotent ? 'safe' : 'risky',
        description: '',
        input: { type: 'object' },
        idempotent,
        run: () => {
          ran += 1;
          return ran <= 2 ? new Promise(() => {}) : 'done';
        },
      });
    const agent = defineAgent({ name: 'a', tools: [hangOnce(true), hangOnce(false)] });
    const first = workerOn(
      [agent],
      new ScriptedModel([calls(['safe', {}, 's'], ['risky', {}, 'r'])]),
    );
    const { id } = await runtime.launch('a', 'Go.');
    await until(async () => ran === 2);
    await first.stop({ grace: 0 });
    workerOn([agent], new ScriptedModel([says('Fine.')]));
    const { status, state } = await untilEnded(runtime, id);
    assert.equal(status, 'completed');
    assert.equal(ran, 3);
    assert.match(JSON.stringify(state.window), /\[Interrupted\] risky/);
  });

  it('with a run that kills every worker is put aside with its history', async () => {
    const { runtime, store, workerOn } = await ground();
    const problems: unknown[] = [];
    const agent = defineAgent({ name: 'a' });
    workerOn([agent], new ScriptedModel([says('x')]), {
      maxStrikes: 2,
      stopAt: (point) => {
        if (point === 'before_append') throw new Error('poison');
      },
      onProblem: (problem) => problems.push(problem),
    });
    const { id } = await runtime.launch('a', 'Go.');
    await until(async () => (await store.run(id))?.state === 'dead');
    assert.match((await store.run(id))?.explanation ?? '', /poison/);
    assert.equal(problems.length, 2);
  });
});

describe('a run', () => {
  it('is worked on to its end, and its log says all of it', async () => {
    const { store, runtime, workerOn } = await ground();
    const agent = defineAgent({ name: 'finder', tools: [search] });
    const model = new ScriptedModel([calls(['search', { query: 'a' }, '1']), says('Done.')]);
    workerOn([agent], model);
    const { id } = await runtime.launch('finder', 'Find a.');
    const { status, state, run } = await runtime.settled(id);
    assert.equal(status, 'completed');
    assert.equal(state.output?.text, 'Done.');
    assert.equal(run.state, 'completed');
    const events = await store.events(id);
    assert.deepEqual(
      events.map((event) => ('type' in event ? event.type : event.broken)),
      [
        'run.started',
        'model.requested',
        'model.replied',
        'reply.accepted',
        'tool.started',
        'tool.finished',
        'model.requested',
        'model.replied',
        'reply.answered',
        'run.finished',
        'outcome.recorded',
      ],
    );
  });

  it('waits for a yes without a worker, and goes on with another one', async () => {
    const { store, runtime, workerOn } = await ground();
    const agent = defineAgent({ name: 'payer', tools: [pay] });
    const first = workerOn([agent], new ScriptedModel([calls(['pay', { amount: 5 }, 'p'])]));
    const { id } = await runtime.launch('payer', 'Pay.');
    assert.equal((await runtime.settled(id)).status, 'waiting_for_approval');
    await first.stop();
    const { items } = await store.approvals({ state: 'pending' });
    assert.deepEqual(
      items.map(({ tool, proposed }) => [tool, proposed]),
      [['pay', { amount: 5 }]],
    );
    await runtime.decide({ id: items[0]?.id ?? '', approved: true, by: 'me', args: { amount: 4 } });
    workerOn([agent], new ScriptedModel([says('Paid.')]));
    await untilEnded(runtime, id);
    const { state } = await runtime.view(id);
    assert.match(JSON.stringify(state.window), /paid 4/);
  });

  it('that has ended hears what is said to it afterwards', async () => {
    const { runtime, workerOn, store } = await ground();
    workerOn([defineAgent({ name: 'a' })], new ScriptedModel([says('One.'), says('Two.')]));
    const { id } = await runtime.launch('a', 'First.');
    assert.equal((await runtime.ended(id)).state.output?.text, 'One.');
    await runtime.send(id, 'Second.');
    await until(async () => (await runtime.view(id)).state.output?.text === 'Two.');
    await runtime.ended(id);
    await until(async () => (await store.run(id))?.leaseOwner === undefined);
    assert.deepEqual(await store.inbox(id), []);
  });

  it('goes on as a conversation, each message taken once', async () => {
    const { runtime, workerOn } = await ground();
    const agent = defineAgent({ name: 'chat', standing: true });
    workerOn([agent], new ScriptedModel([says('One.'), says('Two.')]));
    const { id } = await runtime.launch('chat', 'First.');
    assert.equal((await runtime.settled(id)).status, 'waiting_for_input');
    assert.equal(await runtime.send(id, 'Second.', { source: 'discord:1' }), true);
    assert.equal(await runtime.send(id, 'Second.', { source: 'discord:1' }), false);
    await until(async () => (await runtime.view(id)).state.output?.text === 'Two.');
    assert.equal((await runtime.view(id)).status, 'waiting_for_input');
  });
});

async function untilEnded(runtime: ReturnType<typeof createRuntime>, id: string) {
  const ends = ['completed', 'failed', 'cancelled'];
  await until(async () => ends.includes((await runtime.view(id)).status));
  return runtime.view(id);
}

async function until(isTrue: () => Promise<boolean>) {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}
