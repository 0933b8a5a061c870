import type { Happening } from '@forge/core';
import { usageIn, whole } from './counts.ts';

/** What a day adds up to for one agent, by the columns of `daily_stats`. */
export type DailyTotals = { readonly [column in (typeof dailyColumns)[number]]: number };

export const dailyColumns = [
  'runs_started',
  'runs_completed',
  'runs_failed',
  'runs_cancelled',
  'turns',
  'tool_calls',
  'tool_errors',
  'refusals',
  'input_tokens',
  'output_tokens',
  'cost_nano',
] as const;

/** The day of a time, in UTC: 2026-11-15. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** What these happenings add to their day; undefined if nothing. */
export function dailyTotals(happenings: readonly Happening[]): DailyTotals | undefined {
  let totals: Record<(typeof dailyColumns)[number], number> | undefined;
  const add = (column: (typeof dailyColumns)[number], count: number) => {
    if (count === 0) return;
    totals ??= emptyDay();
    totals[column] += count;
  };
  for (const happening of happenings) {
    switch (happening.type) {
      case 'run.started':
        add('runs_started', 1);
        break;
      case 'run.finished':
        add(`runs_${happening.status}`, 1);
        break;
      case 'model.requested':
        add('turns', 1);
        break;
      case 'model.replied': {
        const spent = usageIn(happening);
        add('input_tokens', whole(spent?.usage?.inputTokens));
        add('output_tokens', whole(spent?.usage?.outputTokens));
        add('cost_nano', spent?.costNano ?? 0);
        break;
      }
      case 'reply.refused':
        add('refusals', 1);
        break;
      case 'tool.started':
        add('tool_calls', 1);
        break;
      case 'tool.finished':
        if (happening.outcome === 'error') add('tool_errors', 1);
        break;
      default: // Nothing that is counted by day.
    }
  }
  return totals;
}

export function emptyDay(): Record<(typeof dailyColumns)[number], number> {
  return {
    runs_started: 0,
    runs_completed: 0,
    runs_failed: 0,
    runs_cancelled: 0,
    turns: 0,
    tool_calls: 0,
    tool_errors: 0,
    refusals: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_nano: 0,
  };
}

/** Collects days of many runs: what a rebuild or a prune adds up. */
export class DailyLedger {
  readonly #days = new Map<
    string,
    { day: string; agent: string; totals: ReturnType<typeof emptyDay> }
  >();

  add(entry: { readonly agent: string; readonly at: number; readonly happening: Happening }): void {
    const totals = dailyTotals([entry.happening]);
    if (totals !== undefined) this.addTotals({ day: dayOf(entry.at), agent: entry.agent, totals });
  }

  addTotals({ day, agent, totals }: { day: string; agent: string; totals: DailyTotals }): void {
    const key = `${day} ${agent}`;
    let row = this.#days.get(key);
    if (row === undefined) {
      row = { day, agent, totals: emptyDay() };
      this.#days.set(key, row);
    }
    for (const column of dailyColumns) row.totals[column] += totals[column];
  }

  rows(): readonly {
    readonly day: string;
    readonly agent: string;
    readonly totals: DailyTotals;
  }[] {
    return [...this.#days.values()];
  }
}
