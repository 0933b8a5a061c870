import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Agent, defineAgent, defineTool, ForgeError, type JsonObject } from '@forge/core';
import { calls, ScriptedModel } from '@forge/core/testing';
import * as z from 'zod';
import { askHuman } from '../human/ask-human.ts';
import { createApprovals } from './approvals-api.ts';
import { ground, payTool } from './ground.test.ts';

const transfer = defineTool({
  name: 'transfer',
  description: '',
  input: z
    .object({ from: z.string(), to: z.string(), amount: z.int().positive() })
    .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must be another account' }),
  approval: true,
  run: () => 'done',
});

/** A parked run that asked for these calls, each `[tool, args, id]`. */
async function asked(
  proposed: readonly (readonly [string, JsonObject, string])[],
  more: { readonly deciders?: readonly string[]; readonly tools?: Agent['guard'] } = {},
) {
  const agent = defineAgent({ name: 'a', tools: [payTool().pay, transfer, askHuman()] });
  const all = await ground([agent]);
  const { deciders } = more;
  all.work(new ScriptedModel([calls(...proposed)]), {
    ...(deciders !== undefined && { deciders: () => deciders }),
  });
  const { id } = await all.runtime.launch('a', 'Go.');
  await all.runtime.settled(id);
  const { items } = await all.approvals.list({ rootId: id, state: 'pending' });
  const idOf = (callId: string) => items.find((item) => item.callId === callId)?.id ?? '';
  return { ...all, runId: id, items, idOf };
}

async function refused(code: ForgeError['code'], work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(ForgeError.is(error, code), String(error));
    return error.message;
  }
  return assert.fail('it was taken');
}

describe('approvals', () => {
  it('show exactly what will run, and what may be done about it', async () => {
    const { items, approvals, idOf } = await asked([
      ['pay', { amount: 5 }, 'p'],
      ['ask_human', { question: 'Sure?', format: 'yes_no' }, 'q'],
    ]);
    assert.equal(items.length, 2);
    const pay = await approvals.get(idOf('p'));
    assert.deepEqual([pay.tool, pay.effective, pay.state], ['pay', { amount: 5 }, 'pending']);
    assert.deepEqual(pay.actions, ['approve', 'edit', 'deny']);
    const question = await approvals.get(idOf('q'));
    assert.deepEqual(question.question, { kind: 'yes_no', question: 'Sure?' });
    assert.deepEqual([question.actions, question.suggestions], [['answer', 'deny'], []]);
  });

  it('refuse arguments that do not fit, by their path, and stay open', async () => {
    const { approvals, idOf, store } = await asked([
      ['transfer', { from: 'a', to: 'b', amount: 1 }, 't'],
    ]);
    const id = idOf('t');
    const edit = (args: JsonObject) => approvals.approve(id, { by: 'ann', args });
    assert.match(
      await refused('invalid_options', edit({ from: 'a', to: 'b', amount: -1 })),
      /transfer.*amount .*Nothing was decided/,
    );
    assert.match(
      await refused('invalid_options', edit({ from: 'a', to: 'a', amount: 1 })),
      /to must be another account/,
    );
    assert.equal((await store.approval(id))?.state, 'pending');
    // What was mended is what is stored, and what runs.
    const { approved } = await edit({ from: 'a', to: 'c', amount: '7' });
    assert.deepEqual(approved, { from: 'a', to: 'c', amount: 7 });
  });

  it('keep no edit where the arguments are the proposed ones', async () => {
    const { approvals, idOf } = await asked([['pay', { amount: 5 }, 'p']]);
    const view = await approvals.approve(idOf('p'), { by: 'ann', args: { amount: 5 } });
    assert.deepEqual([view.approved, view.effective], [undefined, { amount: 5 }]);
  });

  it('take an edit unchecked where the agent is not known: it is checked before it runs', async () => {
    const { store, idOf, runId, event } = await asked([['pay', { amount: 5 }, 'p']]);
    const elsewhere = createApprovals({ store });
    await elsewhere.approve(idOf('p'), { by: 'ann', args: { amount: -1 } });
    const { outcome, content } = await event(runId, 'tool.finished');
    assert.equal(outcome, 'error');
    assert.match(JSON.stringify(content), /arguments a person put in place do not fit.*amount/);
  });

  it('are decided by those who may, and the others leave them as they are', async () => {
    const { approvals, idOf, store } = await asked([['pay', { amount: 5 }, 'p']], {
      deciders: ['ann', 'bob'],
    });
    const id = idOf('p');
    const message = await refused(
      'not_allowed',
      approvals.approve(id, { by: 'eve', args: { amount: -1 } }),
    );
    assert.match(message, /"eve" may not decide/);
    await refused('invalid_options', approvals.approve(id, { by: ' ' }));
    assert.equal((await store.approval(id))?.state, 'pending');
    const view = await approvals.approve(id, { by: 'bob', via: 'discord' });
    assert.deepEqual([view.state, view.decidedBy, view.via], ['approved', 'bob', 'discord']);
    assert.match(await refused('already_decided', approvals.deny(id, { by: 'ann' })), /by bob/);
  });

  it('are refused under an id that nobody gave out', async () => {
    const { approvals } = await asked([['pay', { amount: 5 }, 'p']]);
    await refused('not_found', approvals.get('made up'));
    await refused('not_found', approvals.approve('made up', { by: 'ann' }));
  });

  it('are decided all or none', async () => {
    const { approvals, idOf, store, runId, rules } = await asked([
      ['pay', { amount: 5 }, 'one'],
      ['pay', { amount: 6 }, 'two'],
      ['ask_human', { question: 'Which?', format: 'choice', choices: ['a', 'b'] }, 'q'],
    ]);
    const remember = { scope: 'always' } as const;
    const all = (value: string) => [
      { id: idOf('one'), action: 'approve', remember } as const,
      { id: idOf('two'), action: 'deny', reason: 'no' } as const,
      { id: idOf('q'), action: 'answer', value } as const,
    ];
    const who = { by: 'ann', via: 'cli' };
    assert.match(await refused('invalid_options', approvals.decide(all('c'), who)), /one of: a, b/);
    await refused(
      'not_found',
      approvals.decide([...all('a'), { id: 'gone', action: 'deny' }], who),
    );
    assert.equal((await store.approvals({ runId, state: 'pending' })).items.length, 3);
    assert.deepEqual(await rules.list(), []);
    const decided = await approvals.decide(all('B'), who);
    assert.deepEqual(
      decided.approvals.map(({ state, answer }) => [state, answer]),
      [
        ['approved', undefined],
        ['denied', undefined],
        ['approved', 'b'],
      ],
    );
    assert.deepEqual(
      decided.rules.map(({ pattern, scope, effect }) => [pattern, scope, effect]),
      [['pay(amount=5)', 'always', 'allow']],
    );
  });

  it('take no answer for a call, no yes for a question, and no rule from one', async () => {
    const { approvals, idOf } = await asked([
      ['pay', { amount: 5 }, 'p'],
      ['ask_human', { question: 'Sure?' }, 'q'],
    ]);
    const by = 'ann';
    assert.match(
      await refused('invalid_options', approvals.answer(idOf('p'), 'yes', { by })),
      /It takes: approve, edit, deny/,
    );
    await refused('invalid_options', approvals.approve(idOf('q'), { by }));
    await refused(
      'invalid_options',
      approvals.deny(idOf('q'), { by, remember: { scope: 'always' } }),
    );
  });

  it('leave no rule that is not about the call, or wider than anybody said', async () => {
    const { approvals, idOf, rules } = await asked([
      ['pay', { amount: 5 }, 'p'],
      ['transfer', { from: 'a', to: 'b', amount: 1 }, 't'],
    ]);
    const by = 'ann';
    const always = (pattern?: string) => ({
      by,
      remember: { scope: 'always' as const, ...(pattern !== undefined && { pattern }) },
    });
    for (const pattern of ['transfer', 'pay(amount<=4)', 'pay(', ''])
      await refused('invalid_options', approvals.approve(idOf('p'), always(pattern)));
    const message = await refused('invalid_options', approvals.approve(idOf('t'), always()));
    assert.match(message, /such as transfer\(a\) or transfer/);
    await approvals.approve(idOf('t'), always('transfer(a)'));
    const [rule] = await rules.list();
    assert.equal(rule?.pattern, 'transfer(a)');
    assert.equal(rule?.id, `from ${idOf('t')}`);
    await approvals.deny(idOf('p'), always('pay(amount>=5)'));
    assert.equal((await rules.list()).find(({ effect }) => effect === 'deny')?.createdBy, by);
  });
});
