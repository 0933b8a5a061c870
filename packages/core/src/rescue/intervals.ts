export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** A set of intervals that answers where one lies, each question in logarithmic time. */
export class Intervals {
  readonly #starts: number[];
  readonly #ends: number[];
  /** For the interval at each place in the order of starts, the furthest end up to it. */
  readonly #reach: number[] = [];

  constructor(intervals: readonly Interval[]) {
    const sorted = [...intervals].sort((a, b) => a.start - b.start);
    this.#starts = sorted.map(({ start }) => start);
    this.#ends = sorted.map(({ end }) => end).sort((a, b) => a - b);
    let reach = 0;
    for (const { end } of sorted) {
      reach = Math.max(reach, end);
      this.#reach.push(reach);
    }
  }

  overlaps({ start, end }: Interval): boolean {
    const before = countBelow(this.#starts, end);
    return before > 0 && (this.#reach[before - 1] ?? 0) > start;
  }

  /** The last end at or before `at`; 0 if there is none. */
  lastEnd(at: number): number {
    const count = countBelow(this.#ends, at + 1);
    return count === 0 ? 0 : (this.#ends[count - 1] ?? 0);
  }

  /** The first start at or behind `at`. */
  nextStart(at: number): number | undefined {
    return this.#starts[countBelow(this.#starts, at)];
  }
}

/** How many of the sorted numbers are below `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
