import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { defineAgent } from '@forge/core';
import { ScriptedModel, says } from '@forge/core/testing';
import { openStore } from '@forge/store';
import { createRuntime } from '../src/control/create-runtime.ts';
import { createWorker } from '../src/worker/create-worker.ts';

/** A run that so many workers in a row took up and died of, before they wrote anything. */
async function killerOf(workers: number) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-killer-'));
  const clock = { now: Date.UTC(2026, 10, 15) };
  const now = () => clock.now;
  const store = await openStore(join(folder, 'store.db'), { now });
  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const runtime = createRuntime({ store, now });
  await runtime.launch('a', 'Go.', { id: 'r' });
  for (let died = 0; died < workers; died += 1) {
    const leases = await store.claim({ owner: `w${died}`, ttl: 1_000, limit: 1 });
    assert.equal(leases.length, 1);
    clock.now += 1_001;
  }
  const problems: unknown[] = [];
  const worker = createWorker({
    store,
    agents: [defineAgent({ name: 'a' })],
    model: new ScriptedModel([says('Done.')]),
    now,
    maxStrikes: 2,
    onProblem: ({ error }) => problems.push(error),
  });
  after(() => worker.stop());
  await worker.idle();
  return { store, problems };
}

describe('a run that workers die of', () => {
  it('is put aside with its reason after four times as many as may fail', async () => {
    const { store, problems } = await killerOf(8);
    const run = await store.run('r');
    assert.equal(run?.state, 'dead');
    assert.match(run?.explanation ?? '', /8 workers in a row came to nothing/);
    assert.equal(problems.length, 1);
  });

  it('is worked on until then: it may have been the fault of another', async () => {
    const { store, problems } = await killerOf(7);
    assert.equal((await store.run('r'))?.state, 'completed');
    assert.deepEqual(problems, []);
  });
});
