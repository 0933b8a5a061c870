import { overBudget, type Reading } from './budget.ts';
import type { ScheduleSpec } from './schedule-spec.ts';
import type { Recent, Spent, Waiting } from './stored-schedule.ts';
import { timeInWords } from './time-words.ts';

/** More due times than this do not wait. */
export const mostWaiting = 100;

/** Where a due time stands, in the line of those that want to fire. */
export interface PlaceInLine {
  readonly spec: ScheduleSpec;
  /** It has been waiting already. */
  readonly hasWaited: boolean;
  /** It was missed, and the policy is to make up for all. */
  readonly isCatchUp: boolean;
  /** Firings so far. */
  readonly count: number;
  /** Earlier firings that are under way. */
  readonly running: readonly Recent[];
  /** How many wait before it. */
  readonly waits: number;
  /** The last in the line, if there is one behind it. */
  readonly successor: Waiting | undefined;
  readonly spent: Spent | undefined;
  readonly readings: readonly Reading[];
}

/** Whether a due time fires now, waits for the one before it, or is left out, and why. */
export function admit(place: PlaceInLine): 'fire' | 'wait' | { readonly skip: string } {
  const { spec, count, running, waits, successor } = place;
  const { overlap, zone, maxCount } = spec;
  if (maxCount !== undefined && count >= maxCount) {
    return { skip: `It has fired ${count} times, which is all it should.` };
  }
  const before = running.at(-1);
  if (before !== undefined && overlap !== 'allow' && overlap !== 'cancel_other') {
    return waits < mostWaiting && mayWait(place) ? 'wait' : { skip: underWay(before, zone) };
  }
  if (overlap === 'cancel_other' && successor !== undefined) {
    return { skip: `The one due ${timeInWords(successor.dueAt, zone)} takes its place.` };
  }
  const tooMuch = overBudget(spec.budget, place.spent, place.readings);
  return tooMuch === undefined ? 'fire' : { skip: `Not fired: ${tooMuch}.` };
}

function mayWait({ spec: { overlap }, hasWaited, isCatchUp, waits }: PlaceInLine): boolean {
  if (hasWaited || isCatchUp || overlap === 'buffer_all') return true;
  return overlap === 'buffer_one' && waits === 0;
}

function underWay({ kind, runId, dueAt }: Recent, zone: string): string {
  const which = `The firing of ${timeInWords(dueAt, zone)}`;
  return kind === 'run'
    ? `${which} (run ${runId}) is still under way.`
    : `${which} has not been read in conversation ${runId} yet.`;
}
