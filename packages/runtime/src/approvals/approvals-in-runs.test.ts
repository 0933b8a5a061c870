import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, ForgeError } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { openStore } from '@forge/store';
import { createApprovals } from './approvals-api.ts';
import { ground, payTool, search } from './ground.test.ts';

const onePayment = [calls(['pay', { amount: 5 }, 'p']), says('Done.')];

describe('a call that needs a yes', () => {
  it('waits while the free calls of its batch run', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, approvals, pending, results } = await ground([
      defineAgent({ name: 'a', tools: [search, pay] }),
    ]);
    work(
      new ScriptedModel([
        calls(
          ['search', { query: 'a' }, '1'],
          ['pay', { amount: 5 }, '2'],
          ['search', { query: 'b' }, '3'],
        ),
        says('Done.'),
      ]),
    );
    const { id } = await runtime.launch('a', 'Go.');
    assert.equal((await runtime.settled(id)).status, 'waiting_for_approval');
    assert.deepEqual((await results(id)).sort(), ['ok: found a', 'ok: found b']);
    assert.deepEqual(paid, []);
    await approvals.approve((await pending(id)).id, { by: 'ann' });
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.deepEqual(paid, [5]);
  });

  it('does not run when a person says no, and the model hears why', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, approvals, pending, results } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    work(new ScriptedModel(onePayment));
    const { id } = await runtime.launch('a', 'Go.');
    await approvals.deny((await pending(id)).id, { by: 'ann', reason: 'It is too much.' });
    await runtime.ended(id);
    assert.deepEqual(await results(id), [
      'denied: [Denied] A person said no to this call: It is too much. Do not send the same call again.',
    ]);
    assert.deepEqual(paid, []);
  });

  it('runs with what a person put in its place, and the log keeps both', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, approvals, audit, pending } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    work(new ScriptedModel(onePayment));
    const { id } = await runtime.launch('a', 'Go.');
    const row = await pending(id);
    await approvals.approve(row.id, { by: 'ann', via: 'chat', args: { amount: 4 } });
    await runtime.ended(id);
    assert.deepEqual(paid, [4]);
    const [record, ...others] = await audit(id);
    assert.deepEqual(others, []);
    const { outcome, proposed, approved, effective, by, via, rule } = record ?? {};
    assert.deepEqual(
      { outcome, proposed, approved, effective, by, via, rule },
      {
        outcome: 'approved',
        proposed: { amount: 5 },
        approved: { amount: 4 },
        effective: { amount: 4 },
        by: 'ann',
        via: 'chat',
        rule: undefined,
      },
    );
  });

  it('that nobody decides on in time is not denied', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, approvals, store, results } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    work(new ScriptedModel(onePayment), { approvalTtl: 1 });
    const { id } = await runtime.launch('a', 'Go.');
    assert.equal((await runtime.ended(id)).status, 'completed');
    assert.match((await results(id)).join(), /^expired: \[Expired\] .*no denial/);
    assert.deepEqual(paid, []);
    const [row] = (await store.approvals({ runId: id })).items;
    assert.equal(row?.state, 'expired');
    await assert.rejects(approvals.approve(row?.id ?? '', { by: 'ann' }), isForge('expired'));
  });

  it('is decided once, however many click, from several processes', async () => {
    const { pay, paid } = payTool();
    const agents = [defineAgent({ name: 'a', tools: [pay] })];
    const { work, runtime, approvals, pending, file, eventsOf } = await ground(agents);
    work(new ScriptedModel(onePayment));
    const { id } = await runtime.launch('a', 'Go.');
    const row = await pending(id);
    const other = await openStore(file);
    const elsewhere = createApprovals({ store: other, agents });
    const clicks = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => {
        const api = index % 2 === 0 ? approvals : elsewhere;
        const by = `person ${index}`;
        return index < 5 ? api.approve(row.id, { by }) : api.deny(row.id, { by });
      }),
    );
    await other.close();
    const won = clicks.filter(({ status }) => status === 'fulfilled');
    assert.equal(won.length, 1);
    for (const click of clicks)
      if (click.status === 'rejected') assert.ok(isForge('already_decided')(click.reason));
    await runtime.ended(id);
    const decided = (await eventsOf(id)).filter(({ type }) => type === 'approval.decided');
    assert.equal(decided.length, 1);
    const { state } = await approvals.get(row.id);
    assert.deepEqual(paid, state === 'approved' ? [5] : []);
  });

  it('stays parked where nobody attends to it', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, store, pending } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    const first = work(new ScriptedModel(onePayment));
    const { id } = await runtime.launch('a', 'Go.');
    const row = await pending(id);
    await first.idle();
    await first.stop();
    const second = work(new ScriptedModel([]));
    await second.idle();
    assert.deepEqual(paid, []);
    assert.equal((await store.approval(row.id))?.state, 'pending');
    assert.equal((await runtime.view(id)).status, 'waiting_for_approval');
    assert.equal((await store.run(id))?.leaseOwner, undefined);
  });

  it('does not keep a conversation from going on', async () => {
    const { pay, paid } = payTool();
    const model = new ScriptedModel([
      calls(['pay', { amount: 5 }, 'p']),
      says('I wait for a yes.'),
      says('It is paid.'),
    ]);
    const { work, runtime, approvals, pending, event } = await ground([
      defineAgent({ name: 'a', tools: [pay], standing: true }),
    ]);
    work(model);
    const { id } = await runtime.launch('a', 'Pay.');
    const row = await pending(id);
    await runtime.send(id, 'What are you doing?');
    await event(id, 'reply.answered', ({ text }) => text === 'I wait for a yes.');
    assert.match(JSON.stringify(model.requests[1]), /waiting for a person to approve/);
    await approvals.approve(row.id, { by: 'ann' });
    await event(id, 'reply.answered', ({ text }) => text === 'It is paid.');
    assert.deepEqual(paid, [5]);
    assert.match(JSON.stringify(model.requests[2]), /paid 5/);
  });

  it('is withdrawn when its run is cancelled', async () => {
    const { pay } = payTool();
    const { work, runtime, approvals, pending } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    work(new ScriptedModel(onePayment));
    const { id } = await runtime.launch('a', 'Go.');
    const row = await pending(id);
    await runtime.cancel(id, { by: 'ann' });
    await runtime.ended(id);
    const view = await approvals.get(row.id);
    assert.equal(view.state, 'withdrawn');
    assert.deepEqual(view.actions, []);
    await assert.rejects(approvals.approve(row.id, { by: 'ann' }), isForge('already_decided'));
  });

  it('of a later turn is not decided by a decision on an earlier one that had the same id', async () => {
    const { pay, paid } = payTool();
    const { work, runtime, approvals, event, store } = await ground([
      defineAgent({ name: 'a', tools: [pay] }),
    ]);
    work(
      new ScriptedModel([
        calls(['pay', { amount: 1 }, 'same']),
        calls(['pay', { amount: 2 }, 'same']),
        says('Done.'),
      ]),
    );
    const { id } = await runtime.launch('a', 'Go.');
    await event(id, 'approval.requested');
    const [first] = (await store.approvals({ runId: id, state: 'pending' })).items;
    await approvals.approve(first?.id ?? '', { by: 'ann' });
    await event(id, 'approval.requested', ({ args }) => args.amount === 2);
    const [second] = (await store.approvals({ runId: id, state: 'pending' })).items;
    await approvals.deny(second?.id ?? '', { by: 'ann' });
    await runtime.ended(id);
    assert.deepEqual(paid, [1]);
  });
});

function isForge(code: ForgeError['code']) {
  return (error: unknown) => ForgeError.is(error, code);
}
