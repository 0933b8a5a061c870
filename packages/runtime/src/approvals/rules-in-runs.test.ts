import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, ForgeError } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { ground, payTool, search } from './ground.test.ts';

const onePayment = [calls(['pay', { amount: 5 }, 'p']), says('Done.')];

describe('a rule', () => {
  it('that allows spares the question, and is named in the log', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, audit, rules, store } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    const rule = await rules.add({
      effect: 'allow',
      pattern: 'pay(amount<=10)',
      scope: { agent: 'a' },
      by: 'ann',
    });
    work(new ScriptedModel(onePayment));
    const { id } = await runtime.launch('a', 'Go.');
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.deepEqual(paid, [5]);
    assert.deepEqual((await store.approvals({ runId: id })).items, []);
    const [record] = await audit(id);
    assert.deepEqual([record?.outcome, record?.rule], ['approved', rule.id]);
  });

  it('that denies holds for tools that need no yes, and over one that allows', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, rules, results } = await ground([
      defineAgent({ name: 'a', tools: [search, pay] }),
    ]);
    const by = 'ann';
    await rules.add({ effect: 'allow', pattern: 'pay', scope: { agent: 'a' }, by });
    await rules.add({ effect: 'deny', pattern: 'pay(amount>=5)', scope: 'always', by });
    await rules.add({ effect: 'deny', pattern: 'search(secret*)', scope: 'always', by });
    work(
      new ScriptedModel([
        calls(
          ['search', { query: 'secrets' }, '1'],
          ['search', { query: 'x' }, '2'],
          ['pay', { amount: 5 }, '3'],
        ),
        says('Done.'),
      ]),
    );
    const { id } = await runtime.launch('a', 'Go.');
    assert.equal((await runtime.ended(id)).status, 'completed');
    const said = (await results(id)).join('\n');
    assert.match(said, /denied: .*the rule search\(secret\*\) denies it/);
    assert.match(said, /denied: .*the rule pay\(amount>=5\) denies it/);
    assert.match(said, /ok: found x/);
    assert.doesNotMatch(said, /found secrets/);
    assert.deepEqual(paid, []);
  });

  it('that came after the question stops the call even when it is approved elsewhere', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, approvals, rules, pending, results } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    work(new ScriptedModel(onePayment));
    const { id } = await runtime.launch('a', 'Go.');
    const row = await pending(id);
    await rules.add({ effect: 'deny', pattern: 'pay', scope: { runId: id }, by: 'eve' });
    await assert.rejects(approvals.approve(row.id, { by: 'ann' }), isForge('not_allowed'));
    await runtime.decide({ id: row.id, approved: true, by: 'ann' });
    await runtime.ended(id);
    assert.match((await results(id)).join(), /denied: .*the rule pay denies it/);
    assert.deepEqual(paid, []);
  });

  it('that was made on a card counts for the next call, for the run it was made for', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, approvals, pending, rules, event } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    const twice = [
      calls(['pay', { amount: 5 }, '1']),
      calls(['pay', { amount: 5 }, '2']),
      calls(['pay', { amount: 6 }, '3']),
      says('Done.'),
    ];
    work(new ScriptedModel(twice));
    const { id } = await runtime.launch('a', 'Go.');
    const row = await pending(id);
    const { suggestions } = await approvals.get(row.id);
    assert.deepEqual(suggestions, ['pay(amount=5)', 'pay']);
    await approvals.approve(row.id, { by: 'ann', remember: { scope: 'run' } });
    await event(id, 'approval.requested', ({ args }) => args.amount === 6);
    const [rule] = await rules.list();
    assert.deepEqual(
      [rule?.pattern, rule?.scope, rule?.createdBy],
      ['pay(amount=5)', { runId: id }, 'ann'],
    );
    assert.equal((await runtime.view(id)).status, 'waiting_for_approval');
    assert.deepEqual(paid, [5, 5]);
  });
});

function isForge(code: ForgeError['code']) {
  return (error: unknown) => ForgeError.is(error, code);
}
