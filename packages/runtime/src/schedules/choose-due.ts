import type { ScheduleFiring } from '@forge/store';
import { dueTimes } from './due-times.ts';
import type { StoredSchedule, Waiting } from './stored-schedule.ts';
import { timeInWords } from './time-words.ts';

/** Due times that want to fire, in order, and a note of those that are missed. */
export interface ChosenDue {
  readonly due: readonly (Waiting & { readonly isCatchUp?: boolean })[];
  readonly missed: readonly Omit<ScheduleFiring, 'scheduleId' | 'at'>[];
}

/** Applies the policy for missed times to all that has become due. Each is either due or noted. */
export function chooseDue(
  { spec, progress }: StoredSchedule,
  { now, grace }: { readonly now: number; readonly grace: number },
): ChosenDue {
  const { policy, cap } = spec.missed;
  const { nextDue: first } = progress;
  if (first === undefined) return { due: [], missed: [] };
  const come = dueTimes(spec, { first, now, keep: policy === 'all' ? cap : 1 });
  const last = come?.latest.at(-1);
  if (come === undefined || last === undefined) return { due: [], missed: [] };
  const isOnTime = now - last <= grace;
  const fires = policy === 'skip' && !isOnTime ? [] : come.latest;
  const left = come.count - fires.length;
  const since = { count: left, isMore: come.isMore, since: first };
  return {
    due: fires.map((dueAt, index) => ({
      dueAt,
      ...(index === 0 && left > 0 && { missed: since }),
      ...(policy === 'all' && now - dueAt > grace && { isCatchUp: true }),
    })),
    missed: left === 0 ? [] : [{ dueAt: first, outcome: 'missed', detail: detail() }],
  };

  function detail(): string {
    const times = left === 1 ? '1 due time' : `${left} due times`;
    const what = `${come?.isMore ? 'At least ' : ''}${times} passed while nobody was there`;
    const [stands] = fires;
    if (stands === undefined) return `${what}; the policy is to skip them.`;
    return `${what}; the one of ${timeInWords(stands, spec.zone)} says so.`;
  }
}
