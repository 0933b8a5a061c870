import { messageOf } from '@forge/core';
import type { ScheduleRow } from '@forge/store';
import { nextTimes } from './next-time.ts';
import type { ScheduleSpec } from './schedule-spec.ts';
import { readStored, type StoredSchedule } from './stored-schedule.ts';
import { ruleInWords, timeInWords } from './time-words.ts';

/** A schedule as it is shown. */
export interface ScheduleView {
  readonly id: string;
  readonly agent: string;
  readonly tenant: string | undefined;
  /** The conversation it speaks in; a new run each time if there is none. */
  readonly runId: string | undefined;
  readonly state: ScheduleRow['state'];
  /** Undefined if what is stored cannot be read; then `warnings` say why. */
  readonly spec: ScheduleSpec | undefined;
  /** The rule for people. */
  readonly rule: string;
  /** The next time by the rule. */
  readonly next: number | undefined;
  /** The next five times for people. */
  readonly preview: readonly string[];
  readonly lastAt: number | undefined;
  /** How often it has fired by its rule. */
  readonly fired: number;
  /** Due times that wait for the firing before them. */
  readonly waiting: number;
  readonly createdAt: number;
  /** The conversation it was made in, if an agent made it. */
  readonly origin: string | undefined;
  readonly warnings: readonly string[];
}

const previewed = 5;

export function scheduleView(
  row: ScheduleRow,
  {
    stored,
    warnings = [],
  }: { readonly stored: StoredSchedule; readonly warnings?: readonly string[] },
): ScheduleView {
  const { spec, progress, origin } = stored;
  const next = row.state === 'active' ? progress.nextDue : undefined;
  const left = Math.max(0, (spec.maxCount ?? Infinity) - progress.count);
  const times = next === undefined ? [] : [next, ...nextTimes(spec, next, previewed - 1)];
  return {
    ...columnsOf(row),
    spec,
    rule: ruleInWords(spec.rule, spec.zone),
    next,
    preview: times.slice(0, left).map((time) => timeInWords(time, spec.zone)),
    fired: progress.count,
    waiting: progress.waiting.length,
    origin,
    warnings,
  };
}

/** A row from a list: one that cannot be read is shown as such, and hides no other. */
export function listedView(row: ScheduleRow): ScheduleView {
  try {
    return scheduleView(row, { stored: readStored(row) });
  } catch (error) {
    return {
      ...columnsOf(row),
      spec: undefined,
      rule: 'unknown',
      next: undefined,
      preview: [],
      fired: 0,
      waiting: 0,
      origin: undefined,
      warnings: [messageOf(error)],
    };
  }
}

function columnsOf({ id, agent, tenant, runId, state, lastAt, createdAt }: ScheduleRow) {
  return { id, agent, tenant, runId, state, lastAt, createdAt };
}
