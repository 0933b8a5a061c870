import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { agentTool } from '../agents/agent-tool.ts';
import { ground, payTool, voices } from '../approvals/ground.test.ts';
import { strikeRun } from './strike-run.ts';

describe('a run that is given up', () => {
  it('asks nobody any more and cancels its children; let go on, it asks again', async () => {
    const { pay, paid } = payTool();
    const helper = agentTool({ agent: 'helper', description: 'Helps.' });
    const { work, runtime, store, event, pending, results } = await ground([
      defineAgent({ name: 'boss', tools: [helper, pay] }),
      defineAgent({ name: 'helper', tools: [pay] }),
    ]);
    const all = [
      ['helper', { task: 'One.' }, 'h1'],
      ['helper', { task: 'Two.' }, 'h2'],
      ['pay', { amount: 5 }, 'p'],
    ] as const;
    const wantsToPay = calls(['pay', { amount: 7 }, 'p']);
    let isPoison = false;
    work(
      voices({
        boss: new ScriptedModel([calls(...all), says('Paid.')]),
        helper: new ScriptedModel([wantsToPay, wantsToPay]),
      }),
      {
        maxStrikes: 1,
        stopAt: (point, runId) => {
          if (isPoison && runId === 'boss' && point === 'before_append') throw new Error('poison');
        },
        onProblem: () => {},
      },
    );
    await runtime.launch('boss', 'Go.', { id: 'boss' });
    await event('boss', 'tool.started', ({ callId }) => callId === 'h2');
    const children = (await store.runs({ parentId: 'boss' })).items.map(({ id }) => id);
    assert.equal(children.length, 2);
    const asked = await Promise.all(['boss', ...children].map((id) => pending(id)));
    const [paused = ''] = children;
    await runtime.pause(paused);
    await event(paused, 'run.paused');

    isPoison = true;
    await runtime.send('boss', 'Are you there?');
    const { run } = await runtime.ended('boss');
    assert.deepEqual([run.state, run.explanation], ['dead', 'poison']);
    for (const child of children) {
      assert.equal((await runtime.ended(child)).status, 'cancelled');
    }
    for (const { id } of asked) assert.equal((await store.approval(id))?.state, 'withdrawn');

    isPoison = false;
    await runtime.resume('boss');
    await runtime.decide({ id: asked[0]?.id ?? '', approved: true, by: 'ann' });
    assert.equal((await runtime.ended('boss')).state.output?.text, 'Paid.');
    assert.deepEqual(paid, [5]);
    const why = 'cancelled: [ToolError] The run that started it could not be worked on.';
    assert.deepEqual(await results('boss'), [why, why, 'ok: paid 5']);
  });

  it('is put aside though its parent is no longer there', async () => {
    const { store } = await ground([]);
    const end = async (id: string) => {
      const [lease] = await store.claim({ owner: 'w', ttl: 1_000, limit: 1, runId: id });
      assert.ok(lease);
      const at = await store.now();
      const { fence } = lease;
      await store.append({ runId: id, fence, expectedSeq: 0, happenings: [], at, state: 'failed' });
    };
    await store.createRun({ id: 'a', agent: 'x' });
    await store.createRun({ id: 'b', agent: 'x', parent: { runId: 'a', callId: 'c' } });
    await end('a');
    await end('b');
    assert.equal(await store.prune({ endedBefore: Number.MAX_SAFE_INTEGER, limit: 1 }), 1);
    assert.equal(await store.run('a'), undefined);
    await store.send('b', { kind: 'continue', payload: {}, reopens: true });
    const [lease] = await store.claim({ owner: 'w', ttl: 1_000, limit: 1 });
    assert.ok(lease);
    await strikeRun({ store, lease, error: new Error('poison'), maxStrikes: 1 });
    assert.equal((await store.run('b'))?.state, 'dead');
  });
});
