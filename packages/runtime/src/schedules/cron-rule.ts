import { messageOf } from '@forge/core';
import { Cron } from 'croner';

/**
 * A cron rule in a zone. As in Vixie cron, a rule with one fixed time of day fires once on every
 * day: in the autumn's double hour at its first passing, in the spring's gap right after it. A rule
 * that repeats within the day keeps its real rhythm through both.
 */
export function cronIn(cron: string, zone: string): Cron {
  return new Cron(cron, { timezone: zone, mode: '5-or-6-parts' });
}

/** What is wrong with a cron rule; undefined if nothing is. */
export function whyNotCron(cron: string): string | undefined {
  const example = 'For 9:00 on weekdays write "0 9 * * 1-5".';
  try {
    const rule = cronIn(cron, 'UTC');
    if (rule.getPattern() === undefined) return `"${cron}" is a date, not a cron rule. ${example}`;
    return undefined;
  } catch (error) {
    return `"${cron}" is no cron rule: ${messageOf(error).replace(/^CronPattern: /, '')} ${example}`;
  }
}

/** True for names of the IANA database. Bare offsets are none: they know no summer time. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
