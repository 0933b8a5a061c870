import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, defineProgram } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import type { RunRow, Store } from '@forge/store';
import { agentTool } from '../agents/agent-tool.ts';
import { ground, voices } from '../approvals/ground.test.ts';
import { askHuman } from '../human/ask-human.ts';

const helper = defineAgent({ name: 'helper' });
const chief = defineAgent({
  name: 'chief',
  tools: [agentTool({ agent: 'helper', description: 'Helps.' }), askHuman()],
});

async function seqOf(store: Store, runId: string, type: string): Promise<number> {
  const events = await store.events(runId);
  const found = events.find((event) => 'type' in event && event.type === type);
  assert.ok(found, `${runId} has no ${type}`);
  return found.seq;
}

describe('a fork of a run that waits', () => {
  it('starts its own child, and asks a person anew', async () => {
    const { store, runtime, work } = await ground([chief, helper]);
    const model = voices({
      chief: new ScriptedModel([
        calls(['helper', { task: 'Look.' }], ['ask_human', { question: 'Well?' }]),
        says('Thanks.'),
      ]),
      helper: new ScriptedModel([says('Seen.'), says('Seen again.')]),
    });
    const worker = work(model);
    const { id } = await runtime.launch('chief', 'Go.');
    await worker.idle();
    const at = await seqOf(store, id, 'tool.started');

    const fork = await runtime.fork(id, { at: at + 1, id: 'fork' });
    assert.deepEqual(fork.forkedFrom, { runId: id, seq: at + 1 });
    await runtime.resume('fork');
    await worker.idle();
    const [asked] = (await store.approvals({ state: 'pending', runId: 'fork' })).items;
    assert.equal(asked?.tool, 'ask_human');
    assert.equal((await store.runs({ parentId: 'fork' })).items.length, 1);

    await runtime.decide({ id: asked.id, approved: true, by: 'me', answer: 'Yes.' });
    assert.equal((await runtime.ended('fork')).state.output?.text, 'Thanks.');
    assert.equal((await store.run(id))?.state, 'open');
  });
});

describe('a run with many children', () => {
  it('does not look for each of them at every result', async () => {
    const count = 12;
    const child = defineProgram({
      name: 'child',
      tools: [],
      program: () => ({ type: 'finish', output: 'done' }),
    });
    const parent = defineProgram({
      name: 'parent',
      tools: [agentTool({ agent: 'child', description: 'Works.' })],
      program: ({ calls: made }) => {
        const ids = made.length > 0 ? [] : Array.from({ length: count }, (_, at) => `c${at}`);
        if (made.length > 0 && made.every(({ status }) => status !== 'open')) {
          return { type: 'finish', output: 'all' };
        }
        const args = { task: 'x' };
        return { type: 'call', calls: ids.map((id) => ({ id, name: 'child', args })) };
      },
    });
    const { store, runtime, work } = await ground([parent, child]);
    const looks: string[] = [];
    const watched = new Proxy(store, {
      get(target, name) {
        if (name === 'run') {
          return (id: string): Promise<RunRow | undefined> => {
            looks.push(id);
            return target.run(id);
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    // One at a time, so that the parent is taken up for each.
    work(new ScriptedModel([]), { store: watched, perAgent: { child: 1 } });
    await runtime.launch('parent', 'Go.', { id: 'p' });
    await runtime.ended('p');
    assert.deepEqual(
      looks.filter((id) => id !== 'p'),
      [],
    );
  });
});
