import { ForgeError } from '@forge/core';
import type * as z from 'zod';
import { nextTimes } from './next-time.ts';
import { readMoment } from './read-moment.ts';
import { type ScheduleRule, type ScheduleSpec, scheduleSpecSchema } from './schedule-spec.ts';
import { spanInWords } from './time-words.ts';

/** Milliseconds since 1970, or ISO 8601: with an offset, or by the wall clock of the zone. */
export type Moment = number | string;

/** When a schedule is due, as a person or an agent says it. */
export type NewRule =
  | { readonly type: 'once'; readonly at: Moment }
  | { readonly type: 'once'; readonly after: number }
  /** Milliseconds; the first time is one interval from now, or `from`. */
  | { readonly type: 'every'; readonly every: number; readonly from?: Moment }
  | { readonly type: 'cron'; readonly cron: string };

/** A schedule as it is asked for. What is not said is as the schema has it. */
export interface NewSpec
  extends Omit<z.input<typeof scheduleSpecSchema>, 'rule' | 'zone' | 'until'> {
  readonly rule: NewRule;
  readonly zone?: string;
  readonly until?: Moment;
}

/**
 * A spec, checked: every field is right, it is due at least once, and never more often than the
 * limit allows. `invalid_options` names the field and what would be right.
 */
export function checkSpec(
  asked: NewSpec,
  { now, minInterval }: { readonly now: number; readonly minInterval: number },
): ScheduleSpec {
  const zone = asked.zone ?? 'UTC';
  const zoned = scheduleSpecSchema.shape.zone.safeParse(zone);
  if (!zoned.success) throw invalid('zone', zoned.error.issues[0]?.message ?? 'not a time zone');
  const read = scheduleSpecSchema.safeParse({
    ...asked,
    zone,
    rule: toRule(asked.rule, { now, zone }),
    ...(asked.until !== undefined && { until: toMoment('until', asked.until, zone) }),
  });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(issue?.path.join('.') || 'schedule', issue?.message ?? 'not valid');
  }
  checkTimes(read.data, { now, minInterval });
  return read.data;
}

function toRule(
  rule: NewRule,
  { now, zone }: { readonly now: number; readonly zone: string },
): ScheduleRule {
  switch (rule.type) {
    case 'once':
      if ('at' in rule) return { type: 'once', at: toMoment('rule.at', rule.at, zone) };
      return { type: 'once', at: Math.round(now + rule.after) };
    case 'every': {
      const { every, from = Math.round(now + every) } = rule;
      return { type: 'every', every, from: toMoment('rule.from', from, zone) };
    }
    case 'cron':
      return { type: 'cron', cron: typeof rule.cron === 'string' ? rule.cron.trim() : rule.cron };
    default:
      throw invalid('rule.type', 'one of once, every and cron');
  }
}

function toMoment(field: string, moment: Moment, zone: string): number {
  if (typeof moment === 'number') return moment;
  try {
    return readMoment(moment, zone);
  } catch (error) {
    if (ForgeError.is(error, 'invalid_options')) throw invalid(field, error.message);
    throw error;
  }
}

/** A rule that shows its rhythm does so within this many times. */
const looked = 100;

function checkTimes(
  spec: ScheduleSpec,
  { now, minInterval }: { readonly now: number; readonly minInterval: number },
) {
  const times = nextTimes(spec, now, spec.rule.type === 'cron' ? looked : 2);
  if (times.length === 0) {
    const field = { once: 'rule.at', every: 'rule.every', cron: 'rule.cron' }[spec.rule.type];
    throw invalid(field, 'it is never due from now on; give a time in the future');
  }
  for (const [index, time] of times.entries()) {
    const gap = time - (times[index - 1] ?? -Infinity);
    if (gap >= minInterval) continue;
    const field = spec.rule.type === 'cron' ? 'rule.cron' : 'rule.every';
    const least = spanInWords(minInterval);
    throw invalid(field, `it is due every ${spanInWords(gap)}; the least is ${least}`);
  }
}

function invalid(field: string, what: string): ForgeError {
  return new ForgeError('invalid_options', `schedule.${field}: ${what}`);
}
