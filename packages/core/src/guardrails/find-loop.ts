import { longestLoop, loopRounds, type TurnPrint } from './progress.ts';

/**
 * Whether running these calls would close a loop: the same one, two or three turns for the
 * third time in a row, with the same results each time. Polling that gets new results is not
 * a loop. Returns how many turns the loop has, or 0.
 */
export function findLoop(recent: readonly TurnPrint[], next: string): number {
  for (let period = 1; period <= longestLoop; period++) {
    if (closesLoop(recent, next, period)) return period;
  }
  return 0;
}

function closesLoop(recent: readonly TurnPrint[], next: string, period: number): boolean {
  const length = period * loopRounds;
  const first = recent.length + 1 - length;
  if (first < 0 || recent[recent.length - period]?.calls !== next) return false;
  for (let at = first + period; at < recent.length; at++) {
    const here = recent[at];
    const before = recent[at - period];
    if (here?.calls !== before?.calls || here?.results !== before?.results) return false;
  }
  return true;
}
