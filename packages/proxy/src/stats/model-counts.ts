import type { Attempt, ProxyEvent } from '../proxy-event.ts';
import { countName } from './count-names.ts';
import { outcomeAt, outcomes, rungAt, rungs, statusClasses, wireAt, wires } from './labels.ts';
import { mendedKind } from './mended-kind.ts';
import type { Tally } from './usage-report.ts';

/** Upper bounds of what a request may take, in milliseconds; one more bucket is for the rest. */
export const tookBounds: readonly number[] = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000,
];
const noWire = wires.length;

/**
 * The counters of one model. Lists of numbers and places in them, because this runs once for
 * every request; what is shown is computed when somebody looks.
 */
export class ModelCounts {
  /** Requests by wire (and none) × outcome. */
  readonly requests = new Float64Array((noWire + 1) * outcomes.length);
  readonly statuses = new Float64Array(statusClasses.length);
  readonly tries = new Float64Array(rungs.length);
  readonly wins = new Float64Array(rungs.length);
  readonly took = new Float64Array(tookBounds.length + 1);
  readonly formats = new Map<string, number>();
  readonly mended = new Map<string, number>();
  readonly problems = new Map<string, number>();
  readonly errors = new Map<string, number>();
  tookSum = 0;
  streams = 0;
  retriesWon = 0;
  retriesLost = 0;
  inputTokens = 0;
  outputTokens = 0;

  add(event: ProxyEvent): void {
    const { outcome, attempts, wire, took } = event;
    const isTaken = outcome !== 'exhausted' && outcome !== 'failed' && outcome !== 'cancelled';
    const row = wire === undefined ? noWire : wireAt[wire];
    bump(this.requests, row * outcomes.length + outcomeAt[outcome]);
    bump(this.statuses, classOf(event.status));
    bump(this.took, bucketOf(took));
    this.tookSum += took;
    if (event.stream === true) this.streams += 1;
    if (outcome === 'exhausted') this.retriesLost += 1;
    else if (isTaken && attempts.length > 1) this.retriesWon += 1;
    for (const attempt of attempts) this.#addAttempt(attempt, isTaken);
    if (event.error !== undefined) countName(this.errors, event.error.kind);
  }

  #addAttempt(attempt: Attempt, isTaken: boolean): void {
    const { rung, problems, mended, usage, format } = attempt;
    bump(this.tries, rungAt[rung]);
    if (isTaken && problems.length === 0) {
      bump(this.wins, rungAt[rung]);
      if (format !== undefined) countName(this.formats, format);
    }
    for (const problem of problems) countName(this.problems, problem);
    for (const what of mended) {
      const kind = mendedKind(what);
      if (kind !== undefined) countName(this.mended, kind);
    }
    if (usage !== undefined) {
      this.inputTokens += usage.inputTokens;
      this.outputTokens += usage.outputTokens;
    }
  }

  /** As it is shown. */
  tally(): Tally {
    return {
      requests: this.requests.reduce((sum, count) => sum + count, 0),
      outcomes: table(outcomes, (at) => this.#ofOutcome(at)),
      statuses: table(statusClasses, (at) => this.statuses[at] ?? 0),
      streams: this.streams,
      rungs: table(rungs, (at) => ({ tries: this.tries[at] ?? 0, wins: this.wins[at] ?? 0 })),
      retries: { won: this.retriesWon, lost: this.retriesLost },
      formats: Object.fromEntries(this.formats),
      mended: Object.fromEntries(this.mended),
      problems: Object.fromEntries(this.problems),
      errors: Object.fromEntries(this.errors),
      tokens: { input: this.inputTokens, output: this.outputTokens },
      took: { sum: this.tookSum, buckets: [...this.took] },
    };
  }

  #ofOutcome(outcome: number): number {
    let sum = 0;
    for (let row = 0; row <= noWire; row++)
      sum += this.requests[row * outcomes.length + outcome] ?? 0;
    return sum;
  }
}

function bump(counts: Float64Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function classOf(status: number): number {
  const first = Math.trunc(status / 100);
  return first >= 1 && first <= 5 ? first - 1 : statusClasses.length - 1;
}

function bucketOf(took: number): number {
  let at = 0;
  for (const bound of tookBounds) {
    if (took <= bound) return at;
    at += 1;
  }
  return at;
}

function table<Name extends string, Value>(
  names: readonly Name[],
  toValue: (at: number) => Value,
): Record<Name, Value> {
  const made = {} as Record<Name, Value>;
  names.forEach((name, at) => {
    made[name] = toValue(at);
  });
  return made;
}
