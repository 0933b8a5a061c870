import type { ScheduleSpec } from './schedule-spec.ts';
import type { Waiting } from './stored-schedule.ts';
import { spanInWords, timeInWords } from './time-words.ts';

/** Later than this is worth a word, and a due time nobody was there for. */
export const defaultGrace = 60_000;

/** What the agent reads: why it is spoken to, when that was due and how late it is, and the input. */
export function firingText({
  scheduleId,
  spec: { name, zone, input },
  due,
  now,
  notes = [],
}: {
  readonly scheduleId: string;
  readonly spec: Pick<ScheduleSpec, 'name' | 'zone' | 'input'>;
  readonly due: Waiting;
  readonly now: number;
  readonly notes?: readonly string[];
}): string {
  const called = name === undefined ? scheduleId : `"${name}" (${scheduleId})`;
  const late = lateness(due, now);
  const head = [
    `[Schedule ${called}] Due ${timeInWords(due.dueAt, zone)}.`,
    ...(late === undefined ? [] : [`It comes ${late}.`]),
    ...(due.missed === undefined ? [] : [missedText(due.missed, zone)]),
    ...notes,
  ];
  return `${head.join(' ')}\n\n${input}`;
}

function missedText({ count, isMore, since }: NonNullable<Waiting['missed']>, zone: string) {
  const times = count === 1 ? '1 earlier time was' : `${count} earlier times were`;
  return `${isMore ? 'At least ' : ''}${times} missed since ${timeInWords(since, zone)}.`;
}

/** "3 hours late", if it is late at all. */
export function lateness({ dueAt }: Pick<Waiting, 'dueAt'>, now: number): string | undefined {
  return now - dueAt > defaultGrace ? `${spanInWords(now - dueAt)} late` : undefined;
}
