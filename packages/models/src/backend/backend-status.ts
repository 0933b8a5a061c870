import { join } from 'node:path';
import type { BackendPlace } from './backend-options.ts';
import { type BackendState, listStates, logFile } from './backend-state.ts';
import { logTail } from './log-tail.ts';
import { probe } from './probe.ts';
import { isRunning } from './process-identity.ts';
import { selectBackend } from './select-backend.ts';

export interface BackendStatus extends Omit<BackendState, 'phase' | 'v'> {
  /** `lost`: its keeper is gone without a word; start it again, or stop what is left of it. */
  readonly phase: BackendState['phase'] | 'lost';
  /** Whether it answers now. */
  readonly healthy: boolean;
  readonly logFile: string;
}

/** All backends that are known here, also those that ended. */
export async function backendStatus(place: BackendPlace = {}): Promise<BackendStatus[]> {
  return Promise.all(listStates(place).map(({ folder, state }) => statusOf(folder, state)));
}

async function statusOf(folder: string, { v: _, ...state }: BackendState): Promise<BackendStatus> {
  const ended = state.phase === 'stopped' || state.phase === 'failed';
  const kept = isRunning(state.keeper);
  const phase = ended || kept ? state.phase : 'lost';
  const { ready } = ended ? { ready: false } : await probe(state);
  return { ...state, phase, healthy: ready, logFile: join(folder, logFile) };
}

/** The last lines a backend wrote, oldest first. */
export function backendLogs(
  which: string,
  { lines = 100, ...place }: BackendPlace & { readonly lines?: number } = {},
): string[] {
  const { folder } = selectBackend(which, place);
  return logTail(join(folder, logFile), lines);
}
