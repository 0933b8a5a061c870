import type { RunRow } from '@forge/store';
import type { Style } from '../terminal.ts';

/** How a run stands, in a word for people. */
export type StateWord =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'timeout'
  | 'cancelled'
  | 'dead';

/** `timeout` is whatever ran into a limit of time, turns, tokens or cost. */
const limits = new Set(['turn_limit', 'token_limit', 'cost_limit', 'time_limit']);

export function stateWord(
  run: Pick<RunRow, 'state' | 'seq' | 'reason' | 'wakeAt' | 'leaseOwner'>,
): StateWord {
  switch (run.state) {
    case 'open':
      if (run.seq === 0) return 'pending';
      // Nobody works on it, and nothing but a message makes it go on.
      return run.leaseOwner === undefined && run.wakeAt === undefined ? 'waiting' : 'running';
    case 'failed':
      return limits.has(run.reason ?? '') ? 'timeout' : 'failed';
    default:
      return run.state;
  }
}

export const stateStyles: Readonly<Record<StateWord, Style>> = {
  pending: 'dim',
  running: 'cyan',
  waiting: 'yellow',
  paused: 'yellow',
  completed: 'green',
  failed: 'red',
  timeout: 'red',
  cancelled: 'yellow',
  dead: 'red',
};

/** Whether nothing more becomes of it by itself. */
export function isOver({ state }: Pick<RunRow, 'state'>): boolean {
  return state !== 'open' && state !== 'paused';
}
