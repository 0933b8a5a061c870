import type { ContextEntry } from './entry.ts';
import type { Unit } from './units.ts';

/**
 * The position where the last `keepTurns` turns begin. A turn is an accepted reply with what came
 * of it, counted from the end of the window: refused replies use up none, and a history whose turn
 * numbers are all the same, or start again, is judged like any other.
 */
export function recentStart(window: readonly ContextEntry[], keepTurns: number): number {
  let start = window.length;
  let turns = 0;
  for (let at = window.length - 1; at >= 0 && turns < keepTurns; at--) {
    if (window[at]?.kind !== 'reply') continue;
    turns++;
    start = at;
  }
  return start;
}

/** Units that ended before `start`. Inputs and units that are still live are never old. */
export function oldUnits(units: readonly Unit[], start: number): readonly Unit[] {
  return units.filter(({ kind, live, positions }) => {
    return kind !== 'input' && !live && positions.every((position) => position < start);
  });
}
