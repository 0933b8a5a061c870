import { constants } from 'node:os';
import type { ExecEnd } from '../sandbox.ts';

const numbers: Readonly<Record<string, number | undefined>> = constants.signals;

/** The exit code a shell would show. 127 for what was not started; 126 is for the caller to tell. */
export function exitCodeOf(end: ExecEnd): number {
  switch (end.type) {
    case 'exited':
      return end.code;
    case 'signalled':
      return 128 + (numbers[end.signal] ?? 0);
    case 'timed_out':
      return 124;
    case 'cancelled':
      return 130;
    case 'not_started':
      return 127;
    case 'sandbox_ended':
      return 137;
  }
}
