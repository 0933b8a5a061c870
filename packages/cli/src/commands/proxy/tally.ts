import type { Outcome, ProxyEvent } from '@forge/proxy';

/** What became of the requests so far. */
export interface Tally {
  readonly requests: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
}

const order: readonly Outcome[] = [
  'clean',
  'rescued',
  'repaired',
  'retried',
  'exhausted',
  'passed',
  'failed',
  'refused',
  'cancelled',
];

/** Counts requests by what became of them. */
export function createTally(): { add(event: ProxyEvent): void; readonly total: Tally } {
  const outcomes: Partial<Record<Outcome, number>> = {};
  let requests = 0;
  return {
    add({ outcome }) {
      requests += 1;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
    get total() {
      return { requests, outcomes: { ...outcomes } };
    },
  };
}

/** `12 requests: 9 clean, 2 rescued, 1 retried.` */
export function describeTally({ requests, outcomes }: Tally): string {
  if (requests === 0) return 'No requests came.';
  const parts = order.flatMap((outcome) => {
    const count = outcomes[outcome];
    return count === undefined ? [] : [`${count} ${outcome}`];
  });
  return `${requests} ${requests === 1 ? 'request' : 'requests'}: ${parts.join(', ')}.`;
}
