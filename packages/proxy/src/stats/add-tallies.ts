import { outcomes, rungs, statusClasses } from './labels.ts';
import { ModelCounts } from './model-counts.ts';
import type { Tally } from './usage-report.ts';

/** All of them as one. */
export function addTallies(tallies: Iterable<Tally>): Tally {
  const sum = new ModelCounts().tally();
  const buckets = [...sum.took.buckets];
  for (const one of tallies) {
    sum.requests += one.requests;
    sum.streams += one.streams;
    for (const outcome of outcomes) sum.outcomes[outcome] += one.outcomes[outcome];
    for (const status of statusClasses) sum.statuses[status] += one.statuses[status];
    for (const rung of rungs) {
      sum.rungs[rung].tries += one.rungs[rung].tries;
      sum.rungs[rung].wins += one.rungs[rung].wins;
    }
    sum.retries.won += one.retries.won;
    sum.retries.lost += one.retries.lost;
    sum.tokens.input += one.tokens.input;
    sum.tokens.output += one.tokens.output;
    sum.took.sum += one.took.sum;
    one.took.buckets.forEach((count, at) => {
      buckets[at] = (buckets[at] ?? 0) + count;
    });
    for (const counted of ['formats', 'mended', 'problems', 'errors'] as const) {
      addCounts(sum[counted], one[counted]);
    }
  }
  return { ...sum, took: { sum: sum.took.sum, buckets } };
}

function addCounts(sum: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) {
    sum[name] = (Object.hasOwn(sum, name) ? (sum[name] ?? 0) : 0) + count;
  }
}
