import type { ScheduleRule } from './schedule-spec.ts';

/** A moment for people and models, such as "Mon, 2 Mar 2026, 09:00:00 GMT+1". */
export function timeInWords(at: number, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'shortOffset',
  }).format(at);
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A time span in its two largest units: "2 days 3 hours". */
export function spanInWords(ms: number): string {
  const words: string[] = [];
  let left = Math.max(0, Math.round(ms / 1_000) * 1_000);
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) words.push(count === 1 ? `1 ${unit}` : `${count} ${unit}s`);
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.length === 0 ? '0 seconds' : words.join(' ');
}

export function ruleInWords(rule: ScheduleRule, zone: string): string {
  switch (rule.type) {
    case 'once':
      return `once, ${timeInWords(rule.at, zone)}`;
    case 'every':
      return `every ${everyInWords(rule.every)} from ${timeInWords(rule.from, zone)}`;
    case 'cron':
      return `by the cron rule "${rule.cron}" in ${zone}`;
    default:
      return rule satisfies never;
  }
}

/** Exact, where a span is rounded: "5400 seconds" is better than a wrong rhythm. */
function everyInWords(ms: number): string {
  for (const [unit, size] of units) {
    if (ms % size === 0) return ms === size ? unit : `${ms / size} ${unit}s`;
  }
  return `${ms} milliseconds`;
}
