import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, type Model } from '@forge/core';
import { ground } from '../approvals/ground.test.ts';
import type { WorkerProblem } from './worker.ts';

const agent = defineAgent({ name: 'a' });

const speaker: Model = {
  id: 'speaker',
  async complete(_request, { onDelta }) {
    onDelta?.({ type: 'text', text: 'Hel' });
    return { content: [{ type: 'text', text: 'Hello.' }], finish: 'stop' };
  },
};

describe('what a listener of a worker throws', () => {
  for (const name of ['onRest', 'onDelta'] as const) {
    it(`is told of, and no fault of the run (${name})`, async () => {
      const { store, runtime, work } = await ground([agent]);
      const problems: WorkerProblem[] = [];
      const worker = work(speaker, {
        [name]: () => {
          throw new Error(`a bug in ${name}`);
        },
        onProblem: (problem) => problems.push(problem),
      });
      for (const id of ['r1', 'r2']) {
        await runtime.launch('a', 'Hi.', { id });
        assert.equal((await runtime.ended(id)).state.output?.text, 'Hello.');
        await worker.idle();
        assert.equal((await store.run(id))?.state, 'completed');
      }
      const told = problems.map(({ runId, what, error }) => `${runId} ${what} ${String(error)}`);
      assert.deepEqual(told, [
        `r1 listener Error: a bug in ${name}`,
        `r2 listener Error: a bug in ${name}`,
      ]);
    });
  }
});
