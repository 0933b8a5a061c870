import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { ground, payTool, search, voices } from '../approvals/ground.test.ts';
import { askHuman } from '../human/ask-human.ts';
import { deepestAgents } from '../session/start-child.ts';
import { agentTool } from './agent-tool.ts';

const research = agentTool({ agent: 'researcher', description: 'Finds things out.' });
const ask = calls(['researcher', { task: 'Find the answer.' }, 'c']);

/** A boss with a researcher who has these tools. */
async function firm(tools: Parameters<typeof defineAgent>[0]['tools'] = []) {
  const all = await ground([
    defineAgent({ name: 'boss', tools: [research] }),
    defineAgent({ name: 'researcher', tools }),
  ]);
  const children = async (parentId: string) => (await all.store.runs({ parentId })).items;
  /** The child, once it has begun. */
  const child = async (parentId: string) => {
    await all.event(parentId, 'tool.started');
    const [found, ...others] = await children(parentId);
    assert.ok(found);
    assert.deepEqual(others, []);
    return found;
  };
  return { ...all, child };
}

describe('an agent as a tool', () => {
  it('runs once, and its answer is the result', async () => {
    const { work, runtime, child, results, store } = await firm([search]);
    const researcher = new ScriptedModel([
      calls(['search', { query: 'x' }, 's']),
      says('It is 42.'),
    ]);
    work(voices({ boss: new ScriptedModel([ask, says('So: 42.')]), researcher }));
    const { id } = await runtime.launch('boss', 'Go.');
    const { status, state } = await runtime.ended(id);
    assert.equal(status, 'completed');
    assert.equal(state.output?.text, 'So: 42.');
    assert.deepEqual(await results(id), ['ok: It is 42.']);
    const run = await child(id);
    assert.deepEqual([run.rootId, run.state, run.agent], [id, 'completed', 'researcher']);
    assert.match(JSON.stringify(researcher.requests[0]), /Find the answer\./);
    assert.equal((await store.runs({ rootId: id })).items.length, 2);
  });

  it('that fails is an error the model can act on', async () => {
    const { work, runtime, results } = await firm();
    const researcher = new ScriptedModel([new Error('no voice')]);
    work(voices({ boss: new ScriptedModel([ask, says('It did not work.')]), researcher }));
    const { id } = await runtime.launch('boss', 'Go.');
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.match((await results(id)).join(), /^error: \[ToolError\] .*no voice/);
  });

  it('that no worker can get on with is an error too', async () => {
    const { work, runtime, results } = await firm();
    // Nobody here can speak for the researcher.
    const model = voices({ boss: new ScriptedModel([ask, says('It did not work.')]) });
    work(model, { maxStrikes: 1, onProblem: () => {} });
    const { id } = await runtime.launch('boss', 'Go.');
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.match((await results(id)).join(), /^error: \[ToolError\] .*no model for researcher/);
  });

  it('asks at the top for what it needs approved, and for what it wants to know', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, child, approvals, pending, event } = await firm([pay, askHuman()]);
    const researcher = new ScriptedModel([
      calls(['pay', { amount: 5 }, 'p']),
      calls(['ask_human', { question: 'Sure?' }, 'q']),
      says('Paid.'),
    ]);
    work(voices({ boss: new ScriptedModel([ask, says('Done.')]), researcher }));
    const { id } = await runtime.launch('boss', 'Go.');
    const { id: childId } = await child(id);
    await pending(childId);
    const top = await approvals.list({ rootId: id, state: 'pending' });
    assert.deepEqual(
      top.items.map(({ runId, agent, tool, effective }) => [runId, agent, tool, effective]),
      [[childId, 'researcher', 'pay', { amount: 5 }]],
    );
    await approvals.approve(top.items[0]?.id ?? '', { by: 'ann', remember: { scope: 'run' } });
    await event(childId, 'tool.started', ({ name }) => name === 'ask_human');
    const [question] = (await approvals.list({ rootId: id, state: 'pending' })).items;
    assert.equal(question?.runId, childId);
    await approvals.answer(question?.id ?? '', 'Yes.', { by: 'ann' });
    await runtime.ended(id);
    assert.deepEqual(paid, [5]);
  });

  it('is cancelled with the run that started it, and what it asked is withdrawn', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, child, approvals, pending } = await firm([pay]);
    const researcher = new ScriptedModel([calls(['pay', { amount: 5 }, 'p'])]);
    work(voices({ boss: new ScriptedModel([ask]), researcher }));
    const { id } = await runtime.launch('boss', 'Go.');
    const { id: childId } = await child(id);
    const row = await pending(childId);
    await runtime.cancel(id, { by: 'ann' });
    assert.equal((await runtime.ended(id)).status, 'cancelled');
    assert.equal((await runtime.ended(childId)).status, 'cancelled');
    assert.equal((await approvals.get(row.id)).state, 'withdrawn');
    assert.deepEqual(paid, []);
  });

  it('that is paused is cancelled with its parent too', async () => {
    const { pay } = payTool();
    const { work, runtime, child, pending } = await firm([pay]);
    const researcher = new ScriptedModel([calls(['pay', { amount: 5 }, 'p'])]);
    work(voices({ boss: new ScriptedModel([ask]), researcher }));
    const { id } = await runtime.launch('boss', 'Go.');
    const { id: childId } = await child(id);
    await pending(childId);
    await runtime.pause(childId);
    await runtime.settled(childId);
    await runtime.cancel(id, { by: 'ann' });
    assert.equal((await runtime.ended(childId)).status, 'cancelled');
  });

  it('that is cancelled itself tells its parent', async () => {
    const { pay } = payTool();
    const { work, runtime, child, pending, results } = await firm([pay]);
    const researcher = new ScriptedModel([calls(['pay', { amount: 5 }, 'p'])]);
    work(voices({ boss: new ScriptedModel([ask, says('Then not.')]), researcher }));
    const { id } = await runtime.launch('boss', 'Go.');
    const { id: childId } = await child(id);
    await pending(childId);
    await runtime.cancel(childId, { by: 'ann' });
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.match((await results(id)).join(), /^cancelled: .*Cancelled by ann/);
  });

  it('goes on with the next worker, and is not started twice', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, child, store, approvals, pending } = await firm([pay]);
    const first = work(
      voices({
        boss: new ScriptedModel([ask]),
        researcher: new ScriptedModel([calls(['pay', { amount: 5 }, 'p'])]),
      }),
    );
    const { id } = await runtime.launch('boss', 'Go.');
    const { id: childId } = await child(id);
    const row = await pending(childId);
    await first.stop({ grace: 0 });
    await approvals.approve(row.id, { by: 'ann' });
    const boss = new ScriptedModel([says('Done.')]);
    work(voices({ boss, researcher: new ScriptedModel([says('Paid.')]) }));
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.equal((await store.runs({ rootId: id })).items.length, 2);
    assert.deepEqual(paid, [5]);
    assert.match(JSON.stringify(boss.requests[0]), /Paid\./);
  });

  it('that starts itself again and again is stopped', async () => {
    const self = agentTool({ agent: 'echo', description: 'Itself.' });
    const { work, runtime, store, event } = await ground([
      defineAgent({ name: 'echo', tools: [self] }),
    ]);
    const model = {
      id: 'echo',
      complete: async ({ messages }: { messages: readonly { role: string }[] }) =>
        messages.at(-1)?.role === 'tool' ? says('Enough.') : calls(['echo', { task: 'On.' }, 'c']),
    };
    work(model);
    const { id } = await runtime.launch('echo', 'Go.');
    assert.equal((await runtime.ended(id)).status, 'completed');
    const { items } = await store.runs({ rootId: id });
    assert.equal(items.length, deepestAgents + 1);
    const deepest = items.reduce((a, b) => (a.id.length > b.id.length ? a : b));
    const { content } = await event(deepest.id, 'tool.finished');
    assert.match(JSON.stringify(content), /agents have started agents 8 times/);
  });
});
