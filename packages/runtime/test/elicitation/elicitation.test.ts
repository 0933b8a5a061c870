import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openStore } from '@forge/store';
import { createApprovals } from '../../src/approvals/approvals-api.ts';
import { createRules } from '../../src/approvals/rules-api.ts';
import { createRuntime } from '../../src/control/create-runtime.ts';
import { RunWaiter } from '../../src/control/run-waiter.ts';
import { createWorker } from '../../src/worker/create-worker.ts';
import type { WorkerOptions } from '../../src/worker/worker.ts';
import { createElicitation } from './elicitation-agent.ts';

const program = fileURLToPath(new URL('./elicitation-worker.ts', import.meta.url));

/** A store, and what is done with it from outside. */
async function outside() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-elicitation-'));
  const file = join(folder, 'runs.sqlite');
  const store = await openStore(file);
  const runtime = createRuntime({ store });
  const approvals = createApprovals({ store });
  const endings: (() => unknown)[] = [];
  after(async () => {
    for (const end of endings.reverse()) await end();
    await store.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const pending = async (runId: string) => {
    const { items } = await approvals.list({ runId, state: 'pending' });
    assert.equal(items.length, 1, JSON.stringify(items));
    const [item] = items;
    assert.ok(item);
    return item;
  };
  return {
    folder,
    file,
    store,
    runtime,
    approvals,
    pending,
    onEnd: (end: () => unknown) => endings.push(end),
    async work(more: Partial<WorkerOptions> = {}) {
      const { hub, model, agents } = await createElicitation(folder);
      endings.push(() => hub.close());
      const worker = createWorker({
        store,
        agents,
        model,
        leaseTtl: 2_000,
        pollEvery: 300,
        ...more,
      });
      endings.push(() => worker.stop({ grace: 0 }));
      return worker;
    },
    /** A run whose call a person allowed, and whose server then asks. */
    async asking() {
      const { id } = await runtime.launch('a', 'Go.');
      assert.equal((await runtime.settled(id)).status, 'waiting_for_approval');
      await approvals.approve((await pending(id)).id, { by: 'ann' });
      await new RunWaiter(store).until(id, ({ status }) => status === 'waiting_for_answer');
      return { id, question: await pending(id) };
    },
    said: async (id: string) => (await runtime.ended(id)).state.output?.text ?? '',
  };
}

describe('what an MCP server asks a person during a call of a durable run', {
  timeout: 600_000,
}, () => {
  it('is listed, answered, and the server works with the answer', async () => {
    const { work, asking, approvals, said } = await outside();
    await work();
    const { id, question } = await asking();
    assert.equal(question.tool, 'all__trigger-elicitation-request');
    assert.ok(question.question?.kind === 'value');
    assert.match(question.question.context ?? '', /MCP server "all"/);
    assert.deepEqual(question.actions, ['answer', 'deny']);
    await assert.rejects(approvals.answer(question.id, { name: 7 }, { by: 'ann' }), /At name/);
    await approvals.answer(question.id, { name: 'Ada', check: true }, { by: 'ann' });
    assert.match(await said(id), /Ada/);
  });

  it('may be declined', async () => {
    const { work, asking, approvals, said } = await outside();
    await work();
    const { id, question } = await asking();
    await approvals.deny(question.id, { by: 'ann' });
    assert.match(await said(id), /declined/i);
  });

  it('is cancelled when nobody answers in time', async () => {
    const { work, runtime, said, store } = await outside();
    await createRules({ store }).add({
      effect: 'allow',
      pattern: 'all__*',
      scope: 'always',
      by: 'ann',
    });
    await work({ approvalTtl: 1 });
    const { id } = await runtime.launch('a', 'Go.');
    assert.match(await said(id), /cancel/i);
    const { items } = await store.approvals({ runId: id });
    assert.deepEqual(
      items.map(({ state, question }) => [state, question?.kind]),
      [['expired', 'value']],
    );
  });

  it('is withdrawn when the worker is killed, and the model hears of the interruption', async () => {
    const { folder, file, asking, work, said, store, onEnd } = await outside();
    const child = fork(program, [file, folder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    onEnd(() => child.kill('SIGKILL'));
    const { id, question } = await asking();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    await work();
    assert.match(await said(id), /\[Interrupted\]/);
    assert.equal((await store.approval(question.id))?.state, 'withdrawn');
  });
});
