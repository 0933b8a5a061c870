import { cronIn } from './cron-rule.ts';
import { nextAfter } from './next-time.ts';
import type { Timetable } from './schedule-spec.ts';

/** Counting goes no further: a rule by the second that slept for a year is not worth the minutes. */
export const mostCounted = 1_000;

/** Due times that have come. */
export interface DueTimes {
  readonly first: number;
  /** How many there are; with `isMore` at least that many. */
  readonly count: number;
  readonly isMore: boolean;
  /** The last of them, in order. */
  readonly latest: readonly number[];
}

/** Due times from `first` (which is one) up to `now`, the last `keep` of them one by one. */
export function dueTimes(
  timetable: Timetable,
  { first, now, keep }: { readonly first: number; readonly now: number; readonly keep: number },
): DueTimes | undefined {
  const end = Math.min(now, timetable.until ?? now);
  if (first > end) return undefined;
  const { rule } = timetable;
  if (rule.type === 'once') return { first, count: 1, isMore: false, latest: [first] };
  if (rule.type === 'every') {
    const count = Math.floor((end - first) / rule.every) + 1;
    const kept = Math.min(count, keep);
    const latest = Array.from({ length: kept }, (_, i) => first + (count - kept + i) * rule.every);
    return { first, count, isMore: false, latest };
  }
  const nextOf = nextAfter(timetable);
  const times = [first];
  while (times.length <= mostCounted) {
    const next = nextOf(times.at(-1) ?? first);
    if (next === undefined || next > end) {
      return { first, count: times.length, isMore: false, latest: times.slice(-keep) };
    }
    times.push(next);
  }
  const latest = lastBefore(timetable.zone, rule.cron, { end, keep });
  return { first, count: mostCounted, isMore: true, latest };
}

/** The last times up to and with `end`, in order. */
function lastBefore(
  zone: string,
  cron: string,
  { end, keep }: { readonly end: number; readonly keep: number },
): readonly number[] {
  // Croner looks before a whole second; this one is the first after `end`.
  const reference = new Date(Math.floor(end / 1_000) * 1_000 + 1_000);
  const times = cronIn(cron, zone).previousRuns(keep, reference);
  return times.map((time) => time.getTime()).reverse();
}
