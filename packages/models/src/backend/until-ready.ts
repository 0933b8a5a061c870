import { join } from 'node:path';
import type { Sleep } from '../retry/sleep.ts';
import { ModelError } from '../wire/model-error.ts';
import { logFile, readState } from './backend-state.ts';
import type { KeeperJob } from './keeper-job.ts';
import { logTail } from './log-tail.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { endBackend } from './stop-backend.ts';

const pollEvery = 50;
const shownLines = 15;

/** Waits for the keeper's word. Where there is none to come, or nobody waits any more, it ends. */
export async function untilReady({
  job,
  keeper,
  signal,
  sleep,
}: {
  job: KeeperJob;
  keeper: ProcessIdentity;
  signal: AbortSignal;
  sleep: Sleep;
}): Promise<void> {
  const { id, folder, stopGrace } = job;
  const own = () => {
    const state = readState(folder);
    return state?.keeper.pid === keeper.pid ? state : undefined;
  };
  try {
    for (let running = true; running; await sleep(pollEvery, signal)) {
      running = isRunning(keeper); // Before the look at the state: its last word counts.
      const state = own();
      if (state?.phase === 'ready') return;
      if (state?.phase === 'failed') throw didNotStart(id, state.failure ?? '');
    }
  } catch (error) {
    if (signal.aborted) await endBackend({ folder, keeper, stopGrace, sleep });
    throw error;
  }
  const lines = logTail(join(folder, logFile), shownLines).join('\n  ');
  throw didNotStart(id, `its keeper ended unexpectedly:\n  ${lines}`);
}

export function didNotStart(id: string, why: string): ModelError {
  return new ModelError({
    kind: 'unavailable',
    message: `The backend ${id} did not start: ${why}`,
  });
}
