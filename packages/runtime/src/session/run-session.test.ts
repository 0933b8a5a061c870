import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { defineAgent } from '@forge/core';
import { ScriptedModel, says } from '@forge/core/testing';
import { openTestSqlite } from '@forge/store/testing';
import { createRuntime } from '../control/create-runtime.ts';
import { createWorker } from '../worker/create-worker.ts';

async function ground() {
  const database = await openTestSqlite({ now: Date.now });
  const store = await database.connect();
  after(async () => {
    await store.close();
    await database.remove();
  });
  return { store, runtime: createRuntime({ store }), agents: [defineAgent({ name: 'a' })] };
}

describe('what is said to a run in the moment it ends', () => {
  for (const grace of [10_000, 0]) {
    it(`is heard though its worker has to stop (within ${grace} ms)`, async () => {
      const { store, runtime, agents } = await ground();
      let writes = 0;
      const stopped = Promise.withResolvers<void>();
      const first = createWorker({
        store,
        agents,
        model: new ScriptedModel([says('One.')]),
        async stopAt(point, runId) {
          if (point !== 'before_append') return;
          writes += 1;
          if (writes !== 2) return; // The first begins the run, the second ends it.
          stopped.resolve(first.stop({ grace }));
          await runtime.send(runId, 'Second.');
          // The patience is over before the end is written.
          if (grace === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        },
      });
      after(() => first.stop({ grace: 0 }));
      const { id } = await runtime.launch('a', 'First.');
      await stopped.promise;
      assert.equal(writes, 3);
      assert.equal((await store.run(id))?.state, 'open');
      assert.deepEqual(await store.inbox(id), []);

      const second = createWorker({ store, agents, model: new ScriptedModel([says('Two.')]) });
      after(() => second.stop());
      assert.equal((await runtime.ended(id)).state.output?.text, 'Two.');
    });
  }
});
