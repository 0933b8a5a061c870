import assert from 'node:assert/strict';
import { decide, fold, type RunState } from '@forge/core';
import { longAgent, longRun } from './fixtures/long-run.ts';
import type { Bench } from './harness/bench.ts';

const pasts = [1_000, 10_000, 100_000];
const sizes = [12_500, 25_000, 50_000, 100_000];
const { events, states } = longRun(100_000, pasts);

function stateAfter(past: number): RunState {
  const state = states.get(past);
  assert.ok(state, `the long run has no state at ${past} events`);
  return state;
}

const windows = pasts.map((past) => {
  const { seq, window, windowTokens } = stateAfter(past);
  return `After ${seq.toLocaleString('en')} events the window holds ${window.length} entries, ${windowTokens.toLocaleString('en')} tokens.`;
});

export const bench: Bench = {
  name: 'kernel',
  sections: [
    {
      kind: 'scaling',
      title: 'Folding a run from its events',
      unit: 'events',
      cases: [
        {
          name: '`evolve` over all of them',
          sizes,
          atMost: 1.2,
          prepare: (size) => {
            const some = events.slice(0, size);
            return () => fold(some);
          },
        },
      ],
    },
    {
      kind: 'scaling',
      title: 'Deciding what is next, with the same window and a longer past',
      unit: 'past events',
      cases: [
        {
          name: '`decide`, about to ask the model',
          sizes: pasts,
          atMost: 0.1,
          prepare: (past) => {
            const state = stateAfter(past);
            return () => decide(longAgent, state);
          },
        },
      ],
      notes: windows,
    },
  ],
};
