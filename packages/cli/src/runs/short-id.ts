const start = 8;
const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/**
 * An id as people see it, which `findRun` understands: `3f2a91c0`, and `3f2a91c0.2.cfcd` for a run
 * below it. One that somebody chose stays as it is.
 */
export function shortId(id: string): string {
  const [top = '', ...below] = id.split('.');
  return (uuid.test(top) ? top.slice(0, start) : top) + shortPlace(below);
}

/** Where a run is below the one at the top: `.2.cfcd`; empty for that one itself. */
export function shortPlace([turn, call, ...deeper]: readonly string[]): string {
  if (turn === undefined || call === undefined) return turn === undefined ? '' : `.${turn}`;
  // Only the last step is cut: what is below a cut one could not be found.
  return deeper.length === 0
    ? `.${turn}.${call.slice(0, 4)}`
    : `.${turn}.${call}${shortPlace(deeper)}`;
}
