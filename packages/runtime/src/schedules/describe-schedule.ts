import type { ScheduleView } from './schedule-view.ts';
import { timeInWords } from './time-words.ts';

/** A schedule for a model: its id, its rule, and the next times so that a mistake is seen at once. */
export function describeSchedule(view: ScheduleView, done: string): string {
  const lines = [`${done} schedule ${view.id}${nameOf(view)}: ${view.rule}.`, nextOf(view)];
  return [...lines, ...view.warnings].join('\n');
}

export function describeSchedules(views: readonly ScheduleView[]): string {
  if (views.length === 0) return 'There are no schedules here.';
  return views
    .map((view) => `- ${view.id}${nameOf(view)}: ${view.rule}. ${nextOf(view)}\n  ${said(view)}`)
    .join('\n');
}

function nameOf({ spec }: ScheduleView): string {
  return spec?.name === undefined ? '' : ` "${spec.name}"`;
}

function nextOf({ state, preview, waiting, lastAt, spec }: ScheduleView): string {
  if (state === 'paused') return 'It is paused.';
  if (state === 'ended') return 'It has ended.';
  const last =
    lastAt === undefined || spec === undefined ? '' : ` Last: ${timeInWords(lastAt, spec.zone)}.`;
  if (preview.length === 0) return `${waiting} due times wait for the one before them.${last}`;
  return `Next: ${preview.join('; ')}.${last}`;
}

function said({ spec, warnings }: ScheduleView): string {
  if (spec === undefined) return warnings.join(' ');
  return spec.input.length > 200 ? `${spec.input.slice(0, 200)}…` : spec.input;
}
