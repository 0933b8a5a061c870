import type { Comparison } from './bench.ts';
import { type MeasureOptions, measure } from './measure.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface ComparedContender {
  readonly name: string;
  readonly nanoseconds: Spread;
  /** Against the baseline of the same round. */
  readonly ratio: Spread;
  /** The ratio we promised to stay under, and whether the median does. */
  readonly target?: { readonly atMost: number; readonly met: boolean };
}

export interface ComparisonResult {
  readonly kind: 'comparison';
  readonly title: string;
  readonly baseline: string;
  readonly contenders: readonly ComparedContender[];
  readonly notes: readonly string[];
}

export function compare(comparison: Comparison, options: MeasureOptions): ComparisonResult {
  const { title, baseline, contenders, targets = [], notes = [] } = comparison;
  const samples = measure(contenders, options);
  const base = samples.get(baseline);
  if (base === undefined) {
    const names = contenders.map(({ name }) => name).join(', ');
    throw new Error(`"${title}" has no contender "${baseline}" to compare with. It has: ${names}.`);
  }
  const compared = contenders.map(({ name }): ComparedContender => {
    const times = samples.get(name) ?? [];
    const ratio = spreadOf(times.map((time, round) => time / (base[round] ?? Number.NaN)));
    const target = targets.find(({ contender }) => contender === name);
    const result = { name, nanoseconds: spreadOf(times), ratio };
    if (target === undefined) return result;
    const { atMost } = target;
    return { ...result, target: { atMost, met: ratio.median <= atMost } };
  });
  return { kind: 'comparison', title, baseline, contenders: compared, notes };
}
