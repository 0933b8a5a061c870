import { cronIn } from './cron-rule.ts';
import type { Timetable } from './schedule-spec.ts';

/**
 * The first due time after a moment, by the rule alone: it does not matter when it last fired.
 * Undefined when there is none any more.
 */
export function nextTime(timetable: Timetable, after: number): number | undefined {
  return nextAfter(timetable)(after);
}

/** The next due times after a moment, at most `limit`. */
export function nextTimes(timetable: Timetable, after: number, limit: number): readonly number[] {
  const nextOf = nextAfter(timetable);
  const times: number[] = [];
  for (let at = nextOf(after); at !== undefined && times.length < limit; at = nextOf(at)) {
    times.push(at);
  }
  return times;
}

/** {@link nextTime} for many moments: the rule is read once. */
export function nextAfter({
  rule,
  zone,
  until = Infinity,
}: Timetable): (after: number) => number | undefined {
  const nextOf = ruleAfter(rule, zone);
  return (after) => {
    const next = nextOf(after);
    return next === undefined || next > until ? undefined : next;
  };
}

function ruleAfter(rule: Timetable['rule'], zone: string): (after: number) => number | undefined {
  switch (rule.type) {
    case 'once':
      return (after) => (rule.at > after ? rule.at : undefined);
    case 'every': {
      const { from, every } = rule;
      return (after) => {
        if (from > after) return from;
        const next = from + (Math.floor((after - from) / every) + 1) * every;
        return Number.isSafeInteger(next) ? next : undefined;
      };
    }
    case 'cron': {
      const cron = cronIn(rule.cron, zone);
      return (after) => cron.nextRun(new Date(after))?.getTime();
    }
    default:
      return rule satisfies never;
  }
}
