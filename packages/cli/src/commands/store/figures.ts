import type { DailyStats, RunRow, Store } from '@forge/store';

/** What a store says its log adds up to. */
export interface Figures {
  readonly cursor: string;
  readonly runs: ReadonlyMap<string, RunFigures>;
  /** By day, agent and model. */
  readonly days: ReadonlyMap<string, DailyStats>;
}

interface RunFigures {
  readonly seq: number;
  readonly figures: Readonly<Record<string, unknown>>;
}

export interface Difference {
  readonly what: 'run' | 'day';
  /** The id of a run; or a day, an agent and a model. */
  readonly name: string;
  /** By the name of a figure: what it was, and what it is by the log. */
  readonly figures: Readonly<Record<string, readonly [unknown, unknown]>>;
}

const page = 500;
/** The newest runs that are compared, so that what is held in memory has an end. */
export const mostCompared = 100_000;

export async function readFigures(store: Store, signal: AbortSignal): Promise<Figures> {
  const cursor = await store.cursor();
  const runs = new Map<string, RunFigures>();
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    const { items, next } = await store.runs({}, { limit: page, ...(after && { after }) });
    for (const run of items) runs.set(run.id, { seq: run.seq, figures: figuresOf(run) });
    after = next;
  } while (after !== undefined && runs.size < mostCompared);
  const days = await store.stats();
  return { cursor, runs, days: new Map(days.map((day) => [nameOf(day), day])) };
}

function figuresOf({ turns, usage, cost, reason, explanation }: RunRow) {
  return { turns, ...usage, cost, reason, explanation };
}

function nameOf({ day, agent, model }: DailyStats): string {
  return [day, agent, model].filter((part) => part !== '').join(' ');
}

/** What is not as it was. A run whose log went on meanwhile has other figures with good reason. */
export function differences(before: Figures, after: Figures): readonly Difference[] {
  const found: Difference[] = [];
  for (const [name, now] of after.runs) {
    const then = before.runs.get(name);
    if (then?.seq !== now.seq) continue;
    const figures = compare(then.figures, now.figures);
    if (figures !== undefined) found.push({ what: 'run', name, figures });
  }
  for (const name of new Set([...before.days.keys(), ...after.days.keys()])) {
    const figures = compare({ ...before.days.get(name) }, { ...after.days.get(name) });
    if (figures !== undefined) found.push({ what: 'day', name, figures });
  }
  return found;
}

const names: ReadonlySet<string> = new Set(['day', 'agent', 'model']);

function compare(
  then: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): Difference['figures'] | undefined {
  const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
  const changed = [...keys]
    .filter((key) => !names.has(key) && then[key] !== now[key])
    .map((key) => [key, [then[key] ?? null, now[key] ?? null]] as const);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
