import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedModel, says } from '@forge/core/testing';
import { InterruptDesk } from '../interrupts.ts';
import { coder, ground, pipeline, planner } from '../runs/ground.test.ts';

/** A planner that answers only when it is told to, and tells when it is asked. */
function slowPlanner(answers: number) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const slow = async () => {
    asked.resolve();
    await released.promise;
    return says('One task.');
  };
  const model = new ScriptedModel([slow, ...Array.from({ length: answers - 1 }, () => slow)]);
  return { model, asked: asked.promise, release: () => released.resolve() };
}

async function shop() {
  const slow = slowPlanner(3);
  const { agent } = coder();
  const made = await ground({
    agents: [pipeline, planner, agent],
    voices: { planner: slow.model, coder: new ScriptedModel([says('Done.')]) },
  });
  return { ...made, slow };
}

describe('Ctrl-C', () => {
  it('pauses the run and all below it, says how to go on, and ends with 130', async () => {
    const { forge, slow, store, runtime } = await shop();
    const interrupts = new InterruptDesk();
    const running = forge(['run', 'build a shop'], {
      interrupts,
      // What is under way comes to its end: nothing of it is paid for twice.
      onError: (text) => /plan {2}is paused/.test(text) && slow.release(),
    });
    await slow.asked;
    assert.equal(interrupts.press(), true);
    const { code, stderr } = await running;
    assert.equal(code, 130);
    const [run] = (await store.runs({ topOnly: true })).items;
    assert.ok(run);
    assert.match(stderr, new RegExp(`Paused\\. Go on with: forge resume ${run.id.slice(0, 8)}`));
    assert.equal((await runtime.view(run.id)).status, 'paused');
    const states = (await store.runs({ rootId: run.id })).items.map(({ state }) => state);
    assert.deepEqual(states, ['paused', 'paused']);

    const resumed = await forge(['resume', run.id.slice(0, 8)]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stdout, /^completed/);
    assert.equal(slow.model.requests.length, 1);
  });

  it('while the run is put on record leaves it paused, and says how to go on', async () => {
    const { forge, slow, store, runtime } = await shop();
    const interrupts = new InterruptDesk();
    slow.release();
    const { code, stderr } = await forge(['run', 'build a shop'], {
      interrupts,
      launching: () => interrupts.press(),
    });
    const [run] = (await store.runs({ topOnly: true })).items;
    assert.ok(run);
    assert.equal(code, 130);
    assert.match(stderr, new RegExp(`Paused\\. Go on with: forge resume ${run.id.slice(0, 8)}`));
    assert.equal(slow.model.requests.length, 0);
    const resumed = await forge(['resume', run.id]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.equal((await runtime.view(run.id)).run.state, 'completed');
  });

  it('twice cancels it durably, and ends with 130', async () => {
    const { forge, slow, store } = await shop();
    const interrupts = new InterruptDesk();
    const running = forge(['run', 'build a shop'], { interrupts });
    await slow.asked;
    interrupts.press();
    assert.equal(interrupts.press(), true);
    const { code, stderr } = await running;
    assert.equal(code, 130);
    assert.match(stderr, /Cancelled\. What it did: forge inspect/);
    const states = (await store.runs()).items.map(({ state }) => state);
    assert.deepEqual(states, ['cancelled', 'cancelled']);
    slow.release();
  });

  it('cancels at once what nothing is kept of', async () => {
    const { forge, slow, store } = await shop();
    const interrupts = new InterruptDesk();
    const running = forge(['run', '--no-durable', 'build a shop'], { interrupts });
    await slow.asked;
    interrupts.press();
    assert.equal((await running).code, 130);
    assert.ok((await store.runs()).items.every(({ state }) => state === 'cancelled'));
    slow.release();
  });

  it('a third time is not waited for', () => {
    const desk = new InterruptDesk();
    desk.take(() => {});
    assert.deepEqual([desk.press(), desk.press(), desk.press()], [true, true, false]);
    assert.equal(desk.signal.aborted, false);
  });

  it('aborts the signal where no command takes it over, and then nobody is waited for', () => {
    const desk = new InterruptDesk();
    const giveBack = desk.take(() => assert.fail('it was given back'));
    giveBack();
    assert.equal(desk.press(), true);
    assert.equal(desk.signal.aborted, true);
    assert.equal(desk.press(), false);
  });
});
