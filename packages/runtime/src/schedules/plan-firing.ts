import type { RunState, ScheduleFiring, ScheduleRow, Store } from '@forge/store';
import { admit } from './admit.ts';
import { countsUse, type Reading, settle } from './budget.ts';
import { chooseDue } from './choose-due.ts';
import { deliver } from './deliver.ts';
import { defaultGrace, lateness } from './firing-text.ts';
import { nextTime } from './next-time.ts';
import { type Recent, type StoredSchedule, type Waiting, writeStored } from './stored-schedule.ts';

/** What the rest of the world has to say about a schedule that is due. */
export interface Situation {
  /** The conversation it names; undefined if it names none. */
  readonly target?: {
    readonly state: RunState | 'gone';
    readonly tokens: number;
    readonly cost: number;
  };
  /** Its earlier firings that are under way. */
  readonly running: readonly Recent[];
  readonly readings: readonly Reading[];
  /** Due times that are in its history already: after a clock that was set back. */
  readonly taken?: ReadonlySet<number>;
}

export interface FiringInput {
  readonly row: ScheduleRow;
  readonly stored: StoredSchedule;
  readonly now: number;
  readonly situation: Situation;
  /** Milliseconds a time may be late without being missed. */
  readonly grace?: number;
}

/** One transaction of the store: what fires, what is noted, and where the schedule stands then. */
export type FiringPlan = Parameters<Store['fire']>[0];

const mostRecent = 20;

/**
 * What to do about a schedule that is due. Pure: several processes may plan the same, and the
 * version lets one of them through. Every due time ends up fired, waiting, or noted with a reason.
 */
export function planFiring(input: FiringInput): FiringPlan {
  const { row, stored, now, situation, grace = defaultGrace } = input;
  const { spec, progress } = stored;
  const { target, readings, taken = new Set() } = situation;
  const chosen = chooseDue(stored, { now, grace });
  const firings: ScheduleFiring[] = [];
  const note = (dueAt: number, fields: Omit<ScheduleFiring, 'scheduleId' | 'dueAt' | 'at'>) => {
    if (!taken.has(dueAt)) firings.push({ scheduleId: row.id, dueAt, at: now, ...fields });
  };
  for (const { dueAt, ...fields } of chosen.missed) note(dueAt, fields);
  const line = [
    ...progress.waiting.map((due) => ({ due, hasWaited: true, isCatchUp: false })),
    ...chosen.due.map(({ isCatchUp = false, ...due }) => ({ due, hasWaited: false, isCatchUp })),
  ].filter(({ due }) => !taken.has(due.dueAt));

  if (target?.state === 'cancelled') {
    const detail = `The conversation ${row.runId} was cancelled, so this is paused. Name another conversation and resume it.`;
    for (const { due } of line) note(due.dueAt, { outcome: 'skipped', detail });
    const paused = { ...stored, progress: { ...progress, waiting: [] } };
    return toPlan(row, { stored: paused, state: 'paused', nextAt: undefined, firings });
  }

  let spent = settle({ spec, spent: progress.spent, readings, now });
  let { count } = progress;
  let running = situation.running;
  let { lastAt } = row;
  const waiting: Waiting[] = [];
  const sends: NonNullable<FiringPlan['sends']>[number][] = [];
  const starts: NonNullable<FiringPlan['starts']>[number][] = [];
  for (const [index, { due, ...place }] of line.entries()) {
    const successor = index < line.length - 1 ? line.at(-1)?.due : undefined;
    const waits = waiting.length;
    const verdict = admit({ ...place, spec, count, running, waits, successor, spent, readings });
    if (verdict === 'wait') waiting.push(due);
    else if (verdict !== 'fire') note(due.dueAt, { outcome: 'skipped', detail: verdict.skip });
    if (verdict !== 'fire') continue;
    const isAlone = spec.overlap === 'cancel_other';
    const done = deliver({ row, spec, due, now, target, replaces: isAlone ? running : [] });
    const { runId } = done.recent;
    running = isAlone ? [done.recent] : [...running, done.recent];
    sends.push(...done.sends);
    starts.push(...done.starts);
    count += 1;
    lastAt = now;
    const detail = [lateness(due, now), ...done.notes].filter(Boolean).join('; ');
    note(due.dueAt, { outcome: 'fired', runId, ...(detail !== '' && { detail }) });
    if (spent === undefined) continue;
    const isFollowed = !countsUse(spec.budget) || spent.accounts.some((a) => a.runId === runId);
    const accounts = isFollowed ? spent.accounts : [...spent.accounts, done.account];
    spent = { ...spent, firings: spent.firings + 1, accounts };
  }

  const nextDue = count >= (spec.maxCount ?? Infinity) ? undefined : nextDueOf(stored, now);
  const hasEnded = nextDue === undefined && waiting.length === 0;
  const stands: StoredSchedule['progress'] = {
    nextDue,
    count,
    waiting,
    recent: running.slice(-mostRecent),
    spent,
    ...(hasEnded && { endedAt: now }),
  };
  return toPlan(row, {
    stored: { ...stored, progress: stands },
    state: hasEnded ? 'ended' : 'active',
    nextAt: hasEnded ? undefined : lookAgainAt({ nextDue, waiting, now }),
    lastAt,
    firings,
    sends,
    starts,
  });
}

/** A time that has not come yet stays, even if the clock was set back meanwhile. */
function nextDueOf({ spec, progress: { nextDue } }: StoredSchedule, now: number) {
  return nextDue === undefined || nextDue > now ? nextDue : nextTime(spec, now);
}

/** What waits is looked at again soon, and less often the longer it waits. */
function lookAgainAt({
  nextDue,
  waiting: [first],
  now,
}: {
  readonly nextDue: number | undefined;
  readonly waiting: readonly Waiting[];
  readonly now: number;
}): number | undefined {
  if (first === undefined) return nextDue;
  const pause = Math.min(300_000, Math.max(1_000, Math.floor((now - first.dueAt) / 4)));
  return Math.min(nextDue ?? Infinity, now + pause);
}

function toPlan(
  row: ScheduleRow,
  {
    stored,
    state,
    nextAt,
    lastAt = row.lastAt,
    ...rest
  }: Pick<FiringPlan, 'firings' | 'sends' | 'starts'> &
    Pick<ScheduleRow, 'state' | 'nextAt'> &
    Partial<Pick<ScheduleRow, 'lastAt'>> & { readonly stored: StoredSchedule },
): FiringPlan {
  const { version: expectedVersion, ...before } = row;
  const schedule = { ...before, spec: writeStored(stored), state, nextAt, lastAt };
  return { schedule, expectedVersion, ...rest };
}
