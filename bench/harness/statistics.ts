/** The middle of a sample and where most of it lies. */
export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

/** The value below which that share of a sorted sample lies, interpolated between neighbours. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export function spreadOf(sample: readonly number[]): Spread {
  const sorted = [...sample].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    p10: quantile(sorted, 0.1),
    p90: quantile(sorted, 0.9),
  };
}
