import { type Happening, userMessage } from '@forge/core';
import type { Store } from '@forge/store';
import { longAgent, longRun } from '../../fixtures/long-run.ts';

export const eventsPerRun = 100;
/** Agents, tenants and labels go round, so that each has a fifth of the runs. */
export const kinds = 5;
const atOnce = 200;

/** Runs of a hundred events each; a fifth failed, a fifth still open and waiting. */
export async function fillStore(store: Store, runs: number): Promise<void> {
  const { events } = longRun(eventsPerRun - 2);
  const happenings = events.map(({ v: _v, runId: _runId, seq: _seq, at: _at, ...rest }) => rest);
  for (let first = 0; first < runs; first += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, runs - first) }, (_, at) => first + at);
    await Promise.all(numbers.map((number) => store.createRun(newRun(number))));
    const leases = await store.claim({ owner: 'bench', ttl: 60_000, limit: atOnce });
    await Promise.all(
      leases.map(async ({ run, fence }) => {
        const state = stateOf(Number(run.id.slice(4)));
        const step = { runId: run.id, fence, expectedSeq: 0, at: Date.now() };
        await store.append({ ...step, happenings: [...happenings, ...endOf(state)], state });
        await store.release({ runId: run.id, fence });
      }),
    );
  }
}

export function idOf(number: number): string {
  return `run-${String(number).padStart(6, '0')}`;
}

function newRun(number: number) {
  return {
    id: idOf(number),
    agent: number % kinds === 0 ? longAgent.name : `agent-${number % kinds}`,
    tenant: `tenant-${(number + 1) % kinds}`,
    title: `Run ${number}`,
    labels: { team: `team-${(number + 2) % kinds}` },
  };
}

function stateOf(number: number): 'open' | 'failed' | 'completed' {
  if (number % kinds === 3) return 'failed';
  return number % kinds === 4 ? 'open' : 'completed';
}

function endOf(state: 'open' | 'failed' | 'completed'): readonly Happening[] {
  if (state === 'open') {
    return [
      { type: 'input.received', messages: [userMessage('One.')] },
      { type: 'input.received', messages: [userMessage('Two.')] },
    ];
  }
  const status = state === 'failed' ? 'failed' : 'completed';
  return [
    { type: 'input.received', messages: [userMessage('Enough.')] },
    { type: 'run.finished', status, reason: 'answered', explanation: 'It was enough.' },
  ];
}
