import type { ScheduleBudget, ScheduleSpec } from './schedule-spec.ts';
import type { Account, Spent } from './stored-schedule.ts';

/** What a run that a schedule pays for has used by now. */
export interface Reading {
  readonly account: Account;
  /** Of the run itself, from its beginning. */
  readonly tokens: number;
  readonly cost: number;
  /** Of the runs it started since the account was opened. */
  readonly childTokens: number;
  readonly childCost: number;
  readonly hasEnded: boolean;
}

/** More runs than this are not watched at once: then it waits until some have ended. */
export const mostAccounts = 100;

/** True if what its runs use has to be followed. */
export function countsUse(budget: ScheduleBudget | undefined): boolean {
  return budget?.maxTokens !== undefined || budget?.maxCost !== undefined;
}

/** The hour, day, week or month a moment is in, by the wall clock of a zone. */
export function windowOf(at: number, per: ScheduleBudget['per'], zone: string): string {
  if (per === 'hour') return `hour ${Math.floor(at / 3_600_000)}`;
  const day = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
  if (per === 'day') return day;
  if (per === 'month') return day.slice(0, 7);
  const noon = Date.parse(`${day}T12:00:00Z`);
  const daysSinceMonday = (new Date(noon).getUTCDay() + 6) % 7;
  return `week of ${new Date(noon - daysSinceMonday * 86_400_000).toISOString().slice(0, 10)}`;
}

/** The account as it stands: what has ended is summed up, and a new window begins at nothing. */
export function settle({
  spec: { budget, zone },
  spent,
  readings,
  now,
}: {
  readonly spec: Pick<ScheduleSpec, 'budget' | 'zone'>;
  readonly spent: Spent | undefined;
  readonly readings: readonly Reading[];
  readonly now: number;
}): Spent | undefined {
  if (budget === undefined) return undefined;
  const window = windowOf(now, budget.per, zone);
  const open = readings.filter(({ hasEnded }) => !hasEnded);
  if (spent?.window !== window) {
    const accounts = open.map(({ account: { runId }, tokens, cost }) => ({
      runId,
      since: now,
      tokens,
      cost,
    }));
    return { window, firings: 0, tokens: 0, cost: 0, accounts };
  }
  const ended = sumOf(readings.filter(({ hasEnded }) => hasEnded));
  return {
    ...spent,
    tokens: spent.tokens + ended.tokens,
    cost: spent.cost + ended.cost,
    accounts: open.map(({ account }) => account),
  };
}

/** Why it may not fire now; undefined if it may. */
export function overBudget(
  budget: ScheduleBudget | undefined,
  spent: Spent | undefined,
  readings: readonly Reading[],
): string | undefined {
  if (budget === undefined || spent === undefined) return undefined;
  const { per, maxFirings, maxTokens, maxCost } = budget;
  if (maxFirings !== undefined && spent.firings >= maxFirings) {
    return `the budget of ${maxFirings} firings per ${per} is used up`;
  }
  if (!countsUse(budget)) return undefined;
  if (spent.accounts.length >= mostAccounts) {
    return `${mostAccounts} of its runs are still open, and the budget cannot follow more`;
  }
  const open = new Map(spent.accounts.map((account) => [account.runId, account]));
  const running = sumOf(
    readings.flatMap((reading) => {
      const account = open.get(reading.account.runId);
      if (account === undefined) return [];
      // A window that has just begun starts from what was used before it, children included.
      const isNew = account.since !== reading.account.since;
      return isNew
        ? [{ ...reading, account, childTokens: 0, childCost: 0 }]
        : [{ ...reading, account }];
    }),
  );
  const tokens = spent.tokens + running.tokens;
  const cost = spent.cost + running.cost;
  if (maxTokens !== undefined && tokens >= maxTokens) {
    return `the budget of ${maxTokens} tokens per ${per} is used up (${tokens} tokens)`;
  }
  if (maxCost !== undefined && cost >= maxCost) {
    return `the budget of $${maxCost} per ${per} is used up ($${cost.toFixed(4)})`;
  }
  return undefined;
}

function sumOf(readings: readonly Reading[]): { readonly tokens: number; readonly cost: number } {
  let tokens = 0;
  let cost = 0;
  for (const { account, childTokens, childCost, ...used } of readings) {
    tokens += used.tokens - account.tokens + childTokens;
    cost += used.cost - account.cost + childCost;
  }
  return { tokens, cost };
}
