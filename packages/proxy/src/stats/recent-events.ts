import type { Outcome, ProxyEvent } from '../proxy-event.ts';
import { mendedKind } from './mended-kind.ts';
import type { Recent } from './usage-report.ts';

const mostEvents = 100;
const mostAttempts = 16;
const mostNames = 32;
const longestName = 200;
const shown: ReadonlySet<Outcome> = new Set([
  'rescued',
  'repaired',
  'retried',
  'exhausted',
  'failed',
]);

/** The last requests where something had to be done, or went wrong. */
export class RecentEvents {
  readonly #ring: Recent[] = [];
  #next = 0;

  add(event: ProxyEvent): void {
    if (!shown.has(event.outcome)) return;
    this.#ring[this.#next] = withoutContent(event);
    this.#next = (this.#next + 1) % mostEvents;
  }

  /** Newest first. */
  list(): readonly Recent[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)].reverse();
  }
}

function withoutContent(event: ProxyEvent): Recent {
  const { at, took, model = '', wire, outcome, status, error } = event;
  return {
    at,
    took,
    model: model.slice(0, longestName),
    ...(wire !== undefined && { wire }),
    outcome,
    status,
    attempts: event.attempts
      .slice(0, mostAttempts)
      .map(({ rung, problems, tone, format, mended }) => ({
        rung,
        problems: problems.slice(0, mostNames),
        ...(tone !== undefined && { tone }),
        ...(format !== undefined && { format: format.slice(0, longestName) }),
        mended: namesOf(mended),
      })),
    ...(error !== undefined && { error: error.kind }),
  };
}

/** Each kind once. */
function namesOf(mended: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const what of mended.slice(0, mostNames)) {
    const kind = mendedKind(what);
    if (kind !== undefined) names.add(kind);
  }
  return [...names];
}
