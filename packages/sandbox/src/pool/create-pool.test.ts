import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import type { Sandbox, SandboxBackend, SandboxOptions } from '../sandbox.ts';
import { makeTestBackend } from '../testing/make-test-backend.ts';
import { createPool, type SandboxPool } from './create-pool.ts';

describe('a warm pool', () => {
  let pool: SandboxPool;
  before(async () => {
    pool = createPool(await makeTestBackend(), { size: 2 });
    await pool.filled();
  });
  after(() => pool.close());

  it('gives out what is started already, each once, and starts others', async () => {
    assert.equal(pool.ready(), 2);
    const [a, b] = [await pool.start({ labels: { run: 'a' } }), await pool.start()];
    assert.notEqual(a.id, b.id);
    await a.writeFile('x', 'of a');
    await assert.rejects(b.readFile('x'));
    await pool.filled();
    assert.equal(pool.ready(), 2);
    const listed = await pool.list();
    for (const { id } of [a, b]) assert.ok(listed.some((info) => info.id === id));
    assert.deepEqual(listed.find(({ id }) => id === a.id)?.labels, { run: 'a' });
    await Promise.all([a.stop(), b.stop()]);
  });

  it('starts a fresh one for who asks for something else', async () => {
    const before = pool.ready();
    const other = await pool.start({ limits: { pids: 77 } });
    assert.equal(other.limits.pids, 77);
    assert.equal(pool.ready(), before);
    await other.stop();
  });

  it('gives out none that has ended while it waited', async () => {
    await pool.filled();
    const taken: Sandbox[] = [];
    for (let left = pool.ready(); left > 0; left--) taken.push(await pool.start());
    assert.ok(taken.every((sandbox) => sandbox.state() === 'running'));
    await Promise.all(taken.map((sandbox) => sandbox.stop()));
  });
});

/** A backend whose starts end as they are told. */
function scriptedBackend(outcomes: readonly ('ok' | 'fail')[]) {
  const log = { started: 0, stopped: 0, closed: 0 };
  const make = (id: number): Sandbox => {
    let state: 'running' | 'stopped' = 'running';
    const never = () => assert.fail('not used');
    return {
      id: `s${id}`,
      backend: 'memory',
      workspace: '/workspace',
      limits: {
        cpus: 1,
        memoryBytes: 1,
        pids: 1,
        diskBytes: 1,
        outputBytes: 1,
        timeMs: 1,
        lifetimeMs: 1,
        commands: 1,
      },
      state: () => state,
      exec: never,
      readFile: never,
      writeFile: never,
      copyIn: never,
      copyOut: never,
      stats: never,
      stop: async () => {
        if (state === 'running') log.stopped += 1;
        state = 'stopped';
      },
    };
  };
  const backend: SandboxBackend = {
    name: 'memory',
    probe: async () => ({ available: true, version: '1', cannot: [] }),
    start: async (_options?: SandboxOptions) => {
      const outcome = outcomes[log.started] ?? 'ok';
      log.started += 1;
      if (outcome === 'fail') throw new ForgeError('sandbox_failed', 'not today');
      return make(log.started);
    },
    list: async () => [],
    reap: async () => [],
    close: async () => {
      log.closed += 1;
    },
  };
  return { backend, log };
}

describe('a pool over a backend that is told what to do', () => {
  it('tries again later, and says why to who waits', async () => {
    const { backend, log } = scriptedBackend(['fail', 'fail', 'ok']);
    const pool = createPool(backend, { size: 1, retryMs: 1 });
    await assert.rejects(pool.filled(), /not today/);
    while (pool.ready() === 0) await pool.filled().catch(() => {});
    assert.equal(log.started, 3);
    await pool.close();
    assert.deepEqual(log, { started: 3, stopped: 1, closed: 1 });
  });

  it('starts another for one that is taken in the moment it is full', async () => {
    const { backend } = scriptedBackend([]);
    const pool = createPool(backend, { size: 1 });
    for (let round = 0; round < 3; round++) {
      await pool.filled();
      await pool.filled();
      assert.equal(pool.ready(), 1);
      const taken = pool.start();
      assert.equal(pool.ready(), 0);
      await taken;
    }
    await pool.close();
  });

  it('replaces one that nobody took in time', async () => {
    const { backend, log } = scriptedBackend([]);
    const pool = createPool(backend, { size: 1, freshMs: 5 });
    await pool.filled();
    while (log.stopped === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await pool.filled();
    assert.ok(log.started >= 2);
    await pool.close();
    assert.equal(log.stopped, log.started);
  });

  it('refuses a size that makes no sense', () => {
    const { backend } = scriptedBackend([]);
    for (const size of [-1, 0.5, Number.NaN]) {
      assert.throws(
        () => createPool(backend, { size }),
        (error) => ForgeError.is(error, 'invalid_options'),
      );
    }
  });
});
