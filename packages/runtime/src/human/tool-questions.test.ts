import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, defineTool, ForgeError, type PersonQuestion } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { agentTool } from '../agents/agent-tool.ts';
import { ground, voices } from '../approvals/ground.test.ts';
import { toolQuestion } from './tool-question.ts';

/** A tool that asks this and gives back what was said. */
function asker(question: PersonQuestion, { idempotent = false } = {}) {
  return defineTool({
    name: 'consult',
    description: 'Asks on the way',
    input: { type: 'object' },
    idempotent,
    run: async (_, { askPerson }) => {
      assert.ok(askPerson);
      return JSON.stringify(await askPerson(question));
    },
  });
}

const oneCall = () => [calls(['consult', {}, 'c']), says('Done.')];

type Ground = Awaited<ReturnType<typeof ground>>;

/** The one question that is open, waited for. */
async function question({ event, approvals }: Ground, runId: string, rootId = runId) {
  await event(runId, 'question.asked');
  const { items } = await approvals.list({ rootId, state: 'pending' });
  assert.equal(items.length, 1, JSON.stringify(items));
  const [item] = items;
  assert.ok(item);
  return item;
}

/** A run whose tool has asked. */
async function consulting(
  tool: ReturnType<typeof asker>,
  more: { readonly approvalTtl?: number; readonly leaseTtl?: number } = {},
) {
  const all = await ground([defineAgent({ name: 'a', tools: [tool] })]);
  const worker = all.work(new ScriptedModel(oneCall()), more);
  const { id } = await all.runtime.launch('a', 'Go.');
  return { ...all, worker, id };
}

describe('what a running tool asks a person', () => {
  it('is listed, answered and given to the tool, with both ends in the log', async () => {
    const all = await consulting(asker({ message: 'Which colour?', context: 'For the door.' }));
    const { id, runtime, approvals, results, event } = all;
    const { id: asked, ...item } = await question(all, id);
    assert.deepEqual(item.question, {
      kind: 'free_text',
      question: 'Which colour?',
      context: 'For the door.',
    });
    assert.deepEqual([item.tool, item.callId, item.actions], ['consult', 'c', ['answer', 'deny']]);
    assert.equal((await runtime.settled(id)).status, 'waiting_for_answer');
    await approvals.answer(asked, 'Blue', { by: 'ann', via: 'cli' });
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.deepEqual(await results(id), ['ok: {"action":"accept","content":"Blue"}']);
    const closed = await event(id, 'question.closed');
    assert.deepEqual(
      [closed.outcome, closed.answer, closed.by, closed.via],
      ['accepted', 'Blue', 'ann', 'cli'],
    );
  });

  it('may be declined, with a reason', async () => {
    const all = await consulting(asker({ message: 'Which?' }));
    const { id: asked } = await question(all, all.id);
    await all.approvals.deny(asked, { by: 'ann', reason: 'none of your business' });
    await all.runtime.ended(all.id);
    const said = '{"action":"decline","reason":"none of your business"}';
    assert.deepEqual(await all.results(all.id), [`ok: ${said}`]);
  });

  it('expires when nobody answers in time', async () => {
    const all = await consulting(asker({ message: 'Which?' }), { approvalTtl: 1 });
    await all.runtime.ended(all.id);
    assert.deepEqual(await all.results(all.id), ['ok: {"action":"cancel"}']);
    const [row] = (await all.store.approvals({ runId: all.id })).items;
    assert.equal(row?.state, 'expired');
  });

  it('is checked by its schema before it is taken', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const all = await consulting(asker({ message: 'How many?', schema }));
    const { id: asked } = await question(all, all.id);
    await assert.rejects(
      all.approvals.answer(asked, { n: 'many' }, { by: 'ann' }),
      (error) => ForgeError.is(error, 'invalid_options') && /At n the answer/.test(error.message),
    );
    await all.approvals.answer(asked, { n: 3 }, { by: 'ann' });
    await all.runtime.ended(all.id);
    assert.deepEqual(await all.results(all.id), ['ok: {"action":"accept","content":{"n":3}}']);
  });

  it('is at the top what an agent below asks', async () => {
    const all = await ground([
      defineAgent({ name: 'boss', tools: [agentTool({ agent: 'a', description: 'Works' })] }),
      defineAgent({ name: 'a', tools: [asker({ message: 'Which?' })] }),
    ]);
    const boss = new ScriptedModel([calls(['a', { task: 'Go.' }, 'c']), says('So.')]);
    all.work(voices({ boss, a: new ScriptedModel(oneCall()) }));
    const { id } = await all.runtime.launch('boss', 'Go.');
    await all.event(id, 'tool.started');
    const [child] = (await all.store.runs({ parentId: id })).items;
    assert.ok(child);
    const { id: asked, runId } = await question(all, child.id, id);
    assert.equal(runId, child.id);
    await all.approvals.answer(asked, 'Blue', { by: 'ann' });
    await all.runtime.ended(id);
    assert.match((await all.results(child.id)).join(), /Blue/);
  });

  it('is withdrawn when the tool, the run or whoever asked ends first', async () => {
    const back = new AbortController();
    const first = await consulting(asker({ message: 'Which?', signal: back.signal }));
    const { id: asked } = await question(first, first.id);
    back.abort(new Error('never mind'));
    await first.runtime.ended(first.id);
    assert.match((await first.results(first.id)).join(), /^error: .*never mind/);
    assert.equal((await first.store.approval(asked))?.state, 'withdrawn');
    assert.equal((await first.event(first.id, 'question.closed')).outcome, 'withdrawn');

    const second = await consulting(asker({ message: 'Which?' }));
    const { id: open } = await question(second, second.id);
    await second.runtime.cancel(second.id, { by: 'ann' });
    await second.runtime.ended(second.id);
    assert.equal((await second.store.approval(open))?.state, 'withdrawn');
  });

  it('keeps several apart, each with its own answer', async () => {
    const tool = defineTool({
      name: 'consult',
      description: 'Asks',
      input: { type: 'object' },
      run: async (_, { askPerson }) => {
        assert.ok(askPerson);
        const both = ['One?', 'Two?'].map((message) => askPerson({ message }));
        return JSON.stringify(await Promise.all(both));
      },
    });
    const all = await consulting(tool);
    const asked = ({ message }: { message: string }) => message === 'Two?';
    await all.event(all.id, 'question.asked', asked);
    const { items } = await all.approvals.list({ runId: all.id, state: 'pending' });
    for (const { id, question } of items) {
      assert.ok(question?.kind === 'free_text');
      await all.approvals.answer(id, `to ${question.question}`, { by: 'ann' });
    }
    await all.runtime.ended(all.id);
    const [said = ''] = await all.results(all.id);
    assert.match(said, /"to One\?".*"to Two\?"/);
  });

  it('lets a conversation go on meanwhile', async () => {
    const all = await ground([
      defineAgent({ name: 'a', tools: [asker({ message: 'Which?' })], standing: true }),
    ]);
    const model = new ScriptedModel([calls(['consult', {}, 'c']), says('I am here.'), says('So.')]);
    all.work(model);
    const { id } = await all.runtime.launch('a', 'Go.');
    const { id: asked } = await question(all, id);
    await all.runtime.send(id, 'Still there?');
    await all.event(id, 'reply.answered', ({ text }) => text === 'I am here.');
    await all.approvals.answer(asked, 'Blue', { by: 'ann' });
    await all.event(id, 'reply.answered', ({ text }) => text === 'So.');
    assert.match((await all.results(id)).join(), /Blue/);
  });
});

describe('a worker that is gone while its tool waits for a person', () => {
  async function left(idempotent: boolean, interrupted: 'tell_model' | 'ask_person') {
    const all = await consulting(asker({ message: 'Which?' }, { idempotent }));
    const { id: asked } = await question(all, all.id);
    await all.worker.stop({ grace: 0 });
    return {
      ...all,
      asked,
      go: () => all.work(new ScriptedModel([says('Done.')]), { interrupted }),
    };
  }

  it('leaves a call that was interrupted, and its question is withdrawn', async () => {
    const { go, runtime, id, results, store, asked, approvals } = await left(false, 'tell_model');
    go();
    await runtime.ended(id);
    assert.match((await results(id)).join(), /^cancelled: \[Interrupted\]/);
    assert.equal((await store.approval(asked))?.state, 'withdrawn');
    await assert.rejects(approvals.answer(asked, 'Blue', { by: 'ann' }), (error) =>
      ForgeError.is(error, 'already_decided'),
    );
  });

  it('has it asked again by a tool that is safe to repeat', async () => {
    const all = await left(true, 'tell_model');
    all.go();
    await all.event(all.id, 'question.asked', ({ seq }) => !all.asked.endsWith(`:q${seq}`));
    const { items } = await all.approvals.list({ runId: all.id, state: 'pending' });
    assert.equal(items.length, 1);
    await all.approvals.answer(items[0]?.id ?? '', 'Blue', { by: 'ann' });
    await all.runtime.ended(all.id);
    assert.deepEqual(await all.results(all.id), ['ok: {"action":"accept","content":"Blue"}']);
  });

  it('never has an answer that came late taken for a yes to run the call again', async () => {
    const all = await left(false, 'ask_person');
    await all.approvals.answer(all.asked, 'Blue', { by: 'ann' });
    all.go();
    const again = await all.pending(all.id);
    assert.deepEqual(again.question, { kind: 'interrupted' });
    assert.equal((await all.runtime.settled(all.id)).status, 'waiting_for_approval');
    assert.equal((await all.store.approval(again.id))?.state, 'pending');
    await all.approvals.deny(again.id, { by: 'ann' });
    await all.runtime.ended(all.id);
    assert.match((await all.results(all.id)).join(), /^cancelled: \[Interrupted\]/);
  });
});

describe('an answer with a secret', () => {
  it('is kept nowhere, and the tool is told instead of given another', async () => {
    const all = await consulting(asker({ message: 'Which key?' }));
    const { id: asked } = await question(all, all.id);
    const key = `sk-ant-api03-${'aB3xY9'.repeat(15)}-AAAA`;
    await all.approvals.answer(asked, key, { by: 'ann' });
    await all.runtime.ended(all.id);
    assert.match(
      (await all.results(all.id)).join(),
      /^error: .*held a secret, and secrets are not/,
    );
    assert.ok(!JSON.stringify(await all.eventsOf(all.id)).includes(key));
  });
});

describe('the form of a question', () => {
  const { signal } = new AbortController();
  const kindOf = (more: object) => toolQuestion({ message: 'What?', signal, ...more }).kind;

  it('is the plainest that its schema allows', () => {
    assert.equal(kindOf({}), 'free_text');
    assert.equal(kindOf({ schema: { type: 'boolean' } }), 'yes_no');
    assert.equal(kindOf({ schema: { type: 'string', enum: ['a', 'b'] } }), 'choice');
    assert.equal(kindOf({ schema: { type: 'string', enum: ['a', 'A'] } }), 'value');
    assert.equal(kindOf({ schema: { type: 'string', maxLength: 3 } }), 'value');
    assert.equal(kindOf({ schema: { type: 'object' } }), 'value');
    assert.equal(kindOf({ schema: true }), 'value');
  });

  it('of a page is a yes or no that shows where it is', () => {
    const page = toolQuestion({ message: 'Log in.', url: 'https://example.org/', signal });
    const shown = { kind: 'request', question: 'Log in.', url: 'https://example.org/' };
    assert.deepEqual(page, shown);
  });
});
