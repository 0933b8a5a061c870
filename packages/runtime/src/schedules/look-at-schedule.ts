import type { RunRow, ScheduleRow, Store } from '@forge/store';
import { countsUse, type Reading } from './budget.ts';
import { sourceOf } from './deliver.ts';
import type { Situation } from './plan-firing.ts';
import type { Account, Recent, StoredSchedule } from './stored-schedule.ts';

/** What a scheduler needs of a store. */
export type ScheduleStore = Pick<
  Store,
  | 'run'
  | 'runs'
  | 'inbox'
  | 'schedule'
  | 'schedules'
  | 'saveSchedule'
  | 'deleteSchedule'
  | 'dueSchedules'
  | 'fire'
  | 'firings'
  | 'onWake'
  | 'now'
>;

/** More unread messages than this are a conversation nobody works on. */
const mostUnread = 1_000;
const mostChildren = 1_000;

/** Reads what a firing depends on: its conversation, its earlier firings, what they have used. */
export async function lookAtSchedule(
  store: ScheduleStore,
  {
    row,
    stored: { spec, progress },
    now,
  }: { readonly row: ScheduleRow; readonly stored: StoredSchedule; readonly now: number },
): Promise<Situation> {
  const target = row.runId === undefined ? undefined : await store.run(row.runId);
  const accounts = countsUse(spec.budget) ? (progress.spent?.accounts ?? []) : [];
  const readings: Reading[] = [];
  for (const account of accounts) {
    const reading = await readAccount(store, account);
    if (reading !== undefined) readings.push(reading);
  }
  return {
    ...(row.runId !== undefined && {
      target: { state: target?.state ?? 'gone', ...useOf(target) },
    }),
    // Beside each other they do not have to be looked at.
    running:
      spec.overlap === 'allow'
        ? progress.recent
        : await findRunning(store, { row, recent: progress.recent, now, patience: spec.patience }),
    readings,
  };
}

async function findRunning(
  store: ScheduleStore,
  {
    row,
    recent,
    now,
    patience,
  }: {
    readonly row: ScheduleRow;
    readonly recent: readonly Recent[];
    readonly now: number;
    readonly patience: number;
  },
): Promise<readonly Recent[]> {
  const running: Recent[] = [];
  for (const firing of recent) {
    const run = await store.run(firing.runId);
    if (run === undefined) continue;
    const isRunning =
      firing.kind === 'run'
        ? isUnderWay(run, { now, patience })
        : now - firing.at < patience && (await isUnread(store, row.id, firing));
    if (isRunning) running.push(firing);
  }
  return running;
}

/** A run that waits for a person, or is paused, does not hold others up for ever. */
function isUnderWay(
  { state, leaseOwner, wakeAt, updatedAt }: RunRow,
  { now, patience }: { readonly now: number; readonly patience: number },
): boolean {
  if (state !== 'open' && state !== 'paused') return false;
  const waits = state === 'paused' || (leaseOwner === undefined && wakeAt === undefined);
  return !waits || now - updatedAt < patience;
}

async function isUnread(
  store: ScheduleStore,
  scheduleId: string,
  { runId, dueAt }: Recent,
): Promise<boolean> {
  const unread = await store.inbox(runId, mostUnread);
  const source = sourceOf(scheduleId, dueAt);
  return unread.length >= mostUnread || unread.some((message) => message.source === source);
}

/** A run that is gone has no use any more: it was counted when it ended, or long ago. */
async function readAccount(store: ScheduleStore, account: Account): Promise<Reading | undefined> {
  const run = await store.run(account.runId);
  if (run === undefined) return undefined;
  const { items } = await store.runs(
    { rootId: account.runId, createdAfter: account.since - 1 },
    { limit: mostChildren },
  );
  let childTokens = 0;
  let childCost = 0;
  for (const child of items) {
    if (child.id === run.id) continue;
    const { tokens, cost } = useOf(child);
    childTokens += tokens;
    childCost += cost;
  }
  const hasEnded = run.state !== 'open' && run.state !== 'paused';
  return { account, ...useOf(run), childTokens, childCost, hasEnded };
}

function useOf(run: RunRow | undefined): { readonly tokens: number; readonly cost: number } {
  if (run === undefined) return { tokens: 0, cost: 0 };
  return { tokens: run.usage.inputTokens + run.usage.outputTokens, cost: run.cost };
}
