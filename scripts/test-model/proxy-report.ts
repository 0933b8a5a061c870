import type { Attempt } from '@forge/proxy';
import type { Score } from './proxy-ask.ts';

/** One request, one way. `attempts` are what the proxy did; direct there is one. */
export interface Shot extends Score {
  readonly set: string;
  readonly way: string;
  readonly ask: string;
  readonly attempts: readonly Pick<Attempt, 'rung' | 'problems'>[];
  readonly seconds: number;
}

/** How right each way was on each set, and what it cost. */
export function waysTable(shots: readonly Shot[]): string {
  const rows = group(shots, ({ set, way }) => `${set} | ${way}`).map(([name, some]) => [
    name,
    outOf(some, ({ tool }) => tool),
    outOf(some, ({ args }) => args),
    sum(some, ({ attempts }) => attempts.length),
    sum(some, ({ seconds }) => seconds).toFixed(0),
  ]);
  return table(
    ['requests', 'way', 'right tool', 'right arguments', 'generations', 'seconds'],
    rows.map((row) => row.join(' | ')),
  );
}

/** What each generation on the ladder of one way won. */
export function rungsTable(shots: readonly Shot[]): string {
  const steps = shots.flatMap((shot) =>
    shot.attempts.map((attempt, index) => {
      const isTaken = index === shot.attempts.length - 1 && attempt.problems.length === 0;
      return { ...shot, step: `${index + 1}. ${attempt.rung}`, attempt, isTaken };
    }),
  );
  const rows = group(steps, ({ set, step }) => `${set} | ${step}`).map(([name, some]) => {
    const problems = group(
      some.flatMap(({ attempt }) => attempt.problems),
      (problem) => problem,
    ).map(([problem, all]) => `${problem} ${all.length}`);
    return [
      name,
      some.length,
      count(some, ({ isTaken }) => isTaken),
      count(some, ({ isTaken, tool }) => isTaken && tool),
      count(some, ({ isTaken, args }) => isTaken && args),
      problems.join(', ') || '–',
    ];
  });
  return table(
    ['requests', 'rung', 'asked', 'taken', 'right tool', 'right arguments', 'refused for'],
    rows.map((row) => row.join(' | ')),
  );
}

function table(head: readonly string[], rows: readonly string[]): string {
  const line = head.map(() => '---');
  return [head.join(' | '), line.join(' | '), ...rows].map((row) => `| ${row} |`).join('\n');
}

function group<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return [...groups];
}

function count<T>(items: readonly T[], isCounted: (item: T) => boolean): number {
  return items.filter(isCounted).length;
}

function outOf<T>(items: readonly T[], isCounted: (item: T) => boolean): string {
  return `${count(items, isCounted)} of ${items.length}`;
}

function sum<T>(items: readonly T[], pick: (item: T) => number): number {
  return items.reduce((total, item) => total + pick(item), 0);
}
