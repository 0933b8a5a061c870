import type { RunRow } from '@forge/store';
import { exitCodes } from '../exit-codes.ts';
import type { Left } from './work-on-run.ts';

/** The exit code of a command that worked on a run. */
export function exitCodeOf({ state }: Pick<RunRow, 'state'>, left: Left = 'ended'): number {
  if (left !== 'ended') return exitCodes.interrupted;
  return state === 'completed' ? exitCodes.ok : exitCodes.failed;
}
