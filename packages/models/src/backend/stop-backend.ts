import { sleep as realSleep, type Sleep } from '../retry/sleep.ts';
import type { BackendPlace } from './backend-options.ts';
import { readState, stateFile, writeJson } from './backend-state.ts';
import { endGroup } from './process-group.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { selectBackend } from './select-backend.ts';

/** What a keeper needs beyond its grace to write the end down. */
const keeperMargin = 10_000;
const pollEvery = 50;

/**
 * Stops a backend with its children and resolves with its id. Safe to call for one that is down
 * already. Which one: its id, the beginning of it, or its kind where that is clear.
 */
export async function stopBackend(which: string, place: BackendPlace = {}): Promise<string> {
  const { folder, state } = selectBackend(which, place);
  await endBackend({
    folder,
    keeper: state.keeper,
    stopGrace: state.stopGrace,
    sleep: place.sleep,
  });
  return state.id;
}

/** Asks the keeper to stop; does its work where it is gone or does not. */
export async function endBackend({
  folder,
  keeper,
  stopGrace,
  sleep = realSleep,
}: {
  readonly folder: string;
  readonly keeper: ProcessIdentity;
  readonly stopGrace: number;
  readonly sleep?: Sleep;
}): Promise<void> {
  const never = new AbortController().signal;
  tell(keeper.pid, isRunning(keeper), 'SIGTERM');
  for (
    let waited = 0;
    waited < stopGrace + keeperMargin && isRunning(keeper);
    waited += pollEvery
  ) {
    await sleep(pollEvery, never);
  }
  tell(keeper.pid, isRunning(keeper), 'SIGKILL');
  const last = readState(folder);
  if (last === undefined) return;
  if (last.server !== undefined && isRunning(last.server)) {
    await endGroup(last.server.pid, { grace: stopGrace, sleep });
  }
  if (last.phase !== 'failed' && last.phase !== 'stopped') {
    writeJson(folder, stateFile, { ...last, phase: 'stopped', server: undefined });
  }
}

function tell(pid: number, running: boolean, signal: NodeJS.Signals) {
  if (!running) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between.
  }
}
