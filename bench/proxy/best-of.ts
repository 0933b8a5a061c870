import { quantile } from '../harness/statistics.ts';
import type { RunResult } from './load-driver.ts';
import type { Rounds } from './measure-rounds.ts';

/** What a contender can do: the best round of each figure, since noise only ever adds. */
export interface Best {
  readonly name: string;
  readonly cpu: number | undefined;
  /** Its processor time against the baseline's: the median of what it was in each round. */
  readonly ratio: number | undefined;
  readonly p50: number;
  readonly p99: number;
  readonly firstByte: number;
  readonly perSecond: number;
  readonly rss: number | undefined;
}

export function bestOf(rounds: Rounds, baseline: string): Best[] {
  const base = rounds.get(baseline) ?? [];
  return [...rounds].map(([name, results]) => ({
    name,
    cpu: lowest(results.map(({ cpu }) => cpu)),
    ratio: ratioOf(results, base),
    p50: Math.min(...results.map(({ p50 }) => p50)),
    p99: Math.min(...results.map(({ p99 }) => p99)),
    firstByte: Math.min(...results.map(({ firstByte }) => firstByte)),
    perSecond: Math.max(...results.map(({ requests, seconds }) => requests / seconds)),
    rss: lowest(results.slice(-1).map(({ rss }) => rss)),
  }));
}

function lowest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function ratioOf(results: readonly RunResult[], base: readonly RunResult[]): number | undefined {
  const ratios = results.flatMap(({ cpu }, round) => {
    const against = base[round]?.cpu;
    return cpu === undefined || against === undefined ? [] : [cpu / against];
  });
  if (ratios.length === 0) return undefined;
  return quantile(
    ratios.sort((a, b) => a - b),
    0.5,
  );
}
