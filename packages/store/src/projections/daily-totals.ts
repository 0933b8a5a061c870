import type { Happening } from '@forge/core';
import { usageIn, whole } from './counts.ts';

/** What a day adds up to for one agent and model, by the columns of `daily_stats`. */
export type DailyTotals = { readonly [column in (typeof dailyColumns)[number]]: number };

export const dailyColumns = [
  'runs_started',
  'runs_completed',
  'runs_failed',
  'runs_cancelled',
  'turns',
  'replies',
  'tool_calls',
  'tool_errors',
  'refusals',
  'input_tokens',
  'output_tokens',
  'cost_nano',
] as const;

/** The day of a time, in UTC: 2026-11-15. */
export function dayOf(at: number): string {
  const number = Math.floor(at / millisecondsPerDay);
  if (number !== latestDay.number) {
    latestDay = { number, text: new Date(at).toISOString().slice(0, 10) };
  }
  return latestDay.text;
}

const millisecondsPerDay = 86_400_000;
/** Nearly every step is of the same day as the one before. */
let latestDay = { number: Number.NaN, text: '' };

/** The model of what no model did, and of what older logs do not name one for. */
export const noModel = '';

/** What happened with one model. */
export interface ModelTotals {
  readonly model: string;
  readonly totals: DailyTotals;
}

/**
 * What these happenings add to their day, by model: a turn counts for the model that was asked, a
 * reply with its tokens and cost for the one that answered. Empty if they add nothing.
 */
export function dailyTotals(happenings: readonly Happening[]): readonly ModelTotals[] {
  const sums: { readonly model: string; readonly totals: ReturnType<typeof emptyDay> }[] = [];
  const add = (column: (typeof dailyColumns)[number], count = 1, named = noModel) => {
    if (count === 0) return;
    const model = asKey(named);
    let sum = sums.find((each) => each.model === model);
    if (sum === undefined) {
      sum = { model, totals: emptyDay() };
      sums.push(sum);
    }
    sum.totals[column] += count;
  };
  for (const happening of happenings) {
    switch (happening.type) {
      case 'run.started':
        add('runs_started');
        break;
      case 'run.finished':
        add(`runs_${happening.status}`);
        break;
      case 'model.requested':
        add('turns', 1, happening.model);
        break;
      case 'model.replied': {
        const { model } = happening;
        const spent = usageIn(happening);
        add('replies', 1, model);
        add('input_tokens', whole(spent?.usage?.inputTokens), model);
        add('output_tokens', whole(spent?.usage?.outputTokens), model);
        add('cost_nano', spent?.costNano ?? 0, model);
        break;
      }
      case 'reply.refused':
        add('refusals');
        break;
      case 'tool.started':
        add('tool_calls');
        break;
      case 'tool.finished':
        if (happening.outcome === 'error') add('tool_errors');
        break;
      default: // Nothing that is counted by day.
    }
  }
  return sums;
}

const longestModel = 200;

/** A name that every database takes as part of a key. */
function asKey(model: string): string {
  return model.length > longestModel || model.includes('\0')
    ? model.slice(0, longestModel).replaceAll('\0', '\uFFFD').toWellFormed()
    : model;
}

export function emptyDay(): Record<(typeof dailyColumns)[number], number> {
  return {
    runs_started: 0,
    runs_completed: 0,
    runs_failed: 0,
    runs_cancelled: 0,
    turns: 0,
    replies: 0,
    tool_calls: 0,
    tool_errors: 0,
    refusals: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_nano: 0,
  };
}

/** A row of the daily figures. */
export interface DayRow extends ModelTotals {
  readonly day: string;
  readonly agent: string;
}

/** Collects days of many runs: what a rebuild or a prune adds up. */
export class DailyLedger {
  readonly #days = new Map<string, DayRow & { readonly totals: ReturnType<typeof emptyDay> }>();

  add({
    agent,
    at,
    happening,
  }: {
    readonly agent: string;
    readonly at: number;
    readonly happening: Happening;
  }): void {
    for (const each of dailyTotals([happening])) this.addRow({ day: dayOf(at), agent, ...each });
  }

  addRow({ day, agent, model, totals }: DayRow): void {
    const key = JSON.stringify([day, agent, model]);
    let row = this.#days.get(key);
    if (row === undefined) {
      row = { day, agent, model, totals: emptyDay() };
      this.#days.set(key, row);
    }
    for (const column of dailyColumns) row.totals[column] += totals[column];
  }

  rows(): readonly DayRow[] {
    return [...this.#days.values()];
  }

  /** The rows, which are then no longer in it. */
  take(): readonly DayRow[] {
    if (this.#days.size === 0) return [];
    const rows = this.rows();
    this.#days.clear();
    return rows;
  }
}
