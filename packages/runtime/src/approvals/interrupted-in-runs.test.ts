import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, defineTool, ForgeError } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { ground } from './ground.test.ts';

describe('a call that was interrupted', () => {
  async function interrupted() {
    let runs = 0;
    const keys: string[] = [];
    const begun = Promise.withResolvers<void>();
    const send = defineTool({
      name: 'send',
      description: 'Send',
      input: { type: 'object' },
      approval: true,
      run: (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        begun.resolve();
        return ++runs === 1 ? new Promise(() => {}) : 'sent';
      },
    });
    const it = await ground([defineAgent({ name: 'a', tools: [send] })]);
    const first = it.work(new ScriptedModel([calls(['send', {}, 's'])]));
    const { id } = await it.runtime.launch('a', 'Go.');
    await it.approvals.approve((await it.pending(id)).id, { by: 'ann' });
    await begun.promise;
    await first.stop({ grace: 0 });
    it.work(new ScriptedModel([says('Done.')]), { interrupted: 'ask_person' });
    return { ...it, id, keys };
  }

  const again = async ({ store, event, id }: Awaited<ReturnType<typeof interrupted>>) => {
    const requests: number[] = [];
    await event(id, 'approval.requested', ({ seq }) => requests.push(seq) === 2);
    const [row] = (await store.approvals({ runId: id, state: 'pending' })).items;
    assert.ok(row);
    return row;
  };

  it('is asked about, and runs again under the same key', async () => {
    const all = await interrupted();
    const row = await again(all);
    const view = await all.approvals.get(row.id);
    assert.deepEqual(view.question, { kind: 'interrupted' });
    assert.deepEqual(view.actions, ['approve', 'deny']);
    await assert.rejects(
      all.approvals.approve(row.id, { by: 'ann', args: { other: 1 } }),
      isForge('invalid_options'),
    );
    await all.approvals.approve(row.id, { by: 'ann' });
    await all.runtime.ended(all.id);
    assert.equal(all.keys.length, 2);
    assert.equal(new Set(all.keys).size, 1);
    const records = await all.audit(all.id);
    assert.deepEqual(
      records.map(({ outcome, by, effective }) => [outcome, by, effective]),
      [
        ['approved', 'ann', {}],
        ['approved', 'ann', {}],
      ],
    );
  });

  it('is not called denied when it is not run again: it may have taken effect', async () => {
    const all = await interrupted();
    const row = await again(all);
    await all.approvals.deny(row.id, { by: 'ann', reason: 'It went out' });
    await all.runtime.ended(all.id);
    assert.equal(all.keys.length, 1);
    assert.match((await all.results(all.id)).join(), /^cancelled: \[Interrupted\] .*It went out/);
  });
});

function isForge(code: ForgeError['code']) {
  return (error: unknown) => ForgeError.is(error, code);
}
