import type { Taken } from '../turn/turn.ts';

/** Headers (names and values in turns) that say what was done to a reply. One that left as it came has none. */
export function markers(
  { outcome, reason }: Pick<Taken, 'outcome' | 'reason'>,
  attempts: number,
): readonly string[] {
  if (outcome === 'clean') return [];
  const said = ['x-forge-outcome', outcome, 'x-forge-attempts', String(attempts)];
  return reason === undefined ? said : [...said, 'x-forge-reason', reason];
}

/** The same as a comment of a stream whose head is out. */
export function markerComment(taken: Pick<Taken, 'outcome' | 'reason'>, attempts: number): string {
  const { outcome, reason } = taken;
  const why = reason === undefined ? '' : ` reason=${JSON.stringify(reason)}`;
  return `: forge outcome=${outcome} attempts=${attempts}${why}\n\n`;
}
