import type { Progress } from '@forge/core';

type Turns = Progress['recent'];

/** As many as the kernel keeps, and as loop detection looks at. */
const mostFacts = 1_000;
const mostTurns = 9;

/**
 * One progress of what was kept of a session and what the history of its next request shows.
 *
 * - `facts`: both. A client that compacts its history drops old steps, and a step that was done
 *   stays done; steps done before the session was known are in the history alone.
 * - Refusals in a row: as stored. Replies that were refused here never reached the client, so its
 *   history cannot show them.
 * - `toolErrors`: none where the history ends in turns that did not fail. Else the larger: the
 *   newest results are in the history alone, and a client may have cut off the earlier ones.
 * - `recent`: the history's, which has the newest results. Where the client cut its history, the
 *   stored turns from before the cut come first.
 */
export function mergeProgress(stored: Progress | undefined, shown: Progress): Progress {
  if (stored === undefined) return shown;
  const { retries, premature, prerequisites, repeats } = stored;
  return {
    retries,
    premature,
    prerequisites,
    repeats,
    toolErrors: mergeErrors(stored, shown),
    facts: unite(stored.facts, shown.facts),
    recent: mergeTurns(stored.recent, shown.recent),
  };
}

/** Both. Those that quote an argument go first when there are too many; the oldest of them. */
export function unite(stored: readonly string[], shown: readonly string[]): readonly string[] {
  const all = [...new Set([...stored, ...shown])];
  let surplus = all.length - mostFacts;
  return all.filter((fact) => surplus <= 0 || !fact.includes('=') || surplus-- <= 0);
}

function mergeErrors(stored: Progress, shown: Progress): number {
  const isOver = shown.recent.length > 0 && shown.toolErrors === 0;
  return isOver ? 0 : Math.max(stored.toolErrors, shown.toolErrors);
}

function mergeTurns(stored: Turns, shown: Turns): Turns {
  if (shown.length > stored.length) return shown;
  const overlap = longestOverlap(stored, shown);
  return [...stored.slice(0, stored.length - overlap), ...shown].slice(-mostTurns);
}

/** How many turns at the end of one are those at the beginning of the other, by their calls. */
function longestOverlap(stored: Turns, shown: Turns): number {
  for (let length = Math.min(stored.length, shown.length); length > 0; length--) {
    const end = stored.slice(-length);
    if (end.every((turn, at) => turn.calls === shown[at]?.calls)) return length;
  }
  return 0;
}
