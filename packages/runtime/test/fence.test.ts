import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openStore } from '@forge/store';
import { sharedPostgres } from '@forge/store/testing';
import { createRuntime } from '../src/control/create-runtime.ts';
import { checkRun, readLog } from './chaos/check-run.ts';
import { emptyLedger, executionSchema, readLedger } from './chaos/ledger.ts';
import { startWorker } from './chaos/start-worker.ts';
import type { Task } from './chaos/task.ts';
import type { WorkerStart } from './chaos/worker-orders.ts';

/** A store with one run, and a way to start workers on it. */
async function ground(turns: Task['turns'], url?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-fence-'));
  const files = { ledger: join(folder, 'ledger'), acks: join(folder, 'acks') };
  emptyLedger(files.ledger);
  const address = url ?? join(folder, 'store.db');
  const store = await openStore(address);
  const runtime = createRuntime({ store });
  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const task: Task = { name: 'r', turns, reusesIds: false };
  await runtime.launch('clerk', JSON.stringify(task), { id: 'r' });
  const start = (more: Partial<WorkerStart> = {}) => {
    const worker = startWorker({ store: address, ...files, leaseTtl: 2_000, ...more });
    after(() => worker.signal('SIGKILL'));
    return worker;
  };
  const check = async () => {
    const run = await store.run('r');
    assert.ok(run);
    const log = await readLog(store, 'r');
    const executions = readLedger(files.ledger, executionSchema);
    assert.deepEqual([...log.wrong, ...checkRun(run, log.events, executions)], []);
    return { types: log.events.map(({ type }) => type), executions };
  };
  return { runtime, start, check };
}

async function takesOver(url?: string) {
  const { runtime, start, check } = await ground([['pay']], url);
  // The payment is made and the step that says so is not written yet.
  const paused = start({ holdsAt: 'after_effect' });
  await paused.first('held');
  paused.signal('SIGSTOP');
  const next = start();
  assert.equal((await runtime.settled('r')).status, 'completed');
  const before = await check();

  paused.signal('SIGCONT');
  paused.order({ type: 'go' });
  paused.order({ type: 'stop' });
  await paused.exited;
  assert.deepEqual(await check(), before, 'the log is as it was');
  next.order({ type: 'stop' });
  await next.exited;
}

describe('a worker that is paused until its lease is gone', () => {
  it('writes nothing when it comes back, on SQLite', { timeout: 600_000 }, async () => {
    await takesOver();
  });

  it('writes nothing when it comes back, on PostgreSQL', { timeout: 600_000 }, async () => {
    const postgres = await sharedPostgres();
    await takesOver(await postgres.createDatabase());
  });

  it('is refused at the store, even with its step in hand', { timeout: 600_000 }, async () => {
    const { runtime, start, check } = await ground([['pay'], ['note']]);
    const paused = start({ holdsAt: 'before_append' });
    await paused.first('held');
    paused.signal('SIGSTOP');
    const next = start();
    assert.equal((await runtime.settled('r')).status, 'completed');
    const before = await check();

    paused.signal('SIGCONT');
    paused.order({ type: 'go' });
    const { code, run } = await paused.first('refused');
    assert.deepEqual({ code, run }, { code: 'lease_lost', run: 'r' });
    assert.deepEqual(await check(), before);
    for (const worker of [paused, next]) worker.order({ type: 'stop' });
    await Promise.all([paused.exited, next.exited]);
  });
});
