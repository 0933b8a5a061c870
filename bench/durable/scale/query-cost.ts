import { performance } from 'node:perf_hooks';
import type { Store } from '@forge/store';
import { createRuntime } from '../../../packages/runtime/src/control/create-runtime.ts';
import { formatFigure } from '../../harness/markdown.ts';
import { type Spread, spreadOf } from '../../harness/statistics.ts';
import type { TableResult } from '../../harness/table.ts';
import { eventsPerRun, fillStore, idOf, kinds } from './fill-store.ts';

const mostTimes = 2;
const page = { limit: 10 };

interface Filled {
  readonly store: Store;
  readonly runs: number;
  /** In the middle of the list of all runs. */
  readonly middle: string;
}

/** What people look at, in a form that gives as much in a small store as in a large one. */
const queries: Readonly<Record<string, (filled: Filled, at: number) => Promise<unknown>>> = {
  'list, first page': ({ store }) => store.runs({}, page),
  'list, a page in the middle': ({ store, middle }) => store.runs({}, { ...page, after: middle }),
  'filter by state': ({ store }) => store.runs({ states: ['failed'] }, page),
  'filter by agent and state': ({ store }) =>
    store.runs({ agent: 'agent-3', states: ['failed'] }, page),
  'filter by tenant': ({ store }) => store.runs({ tenant: 'tenant-2' }, page),
  'filter by label': ({ store }) => store.runs({ label: { name: 'team', value: 'team-1' } }, page),
  // Runs of that team are all open: there is nothing to be found.
  'filter by label and state': ({ store }) =>
    store.runs({ label: { name: 'team', value: 'team-1' }, states: ['failed'] }, page),
  'filter by agent and tenant': ({ store }) =>
    store.runs({ agent: 'agent-3', tenant: 'tenant-0' }, page),
  'a run': ({ store, runs }, at) => store.run(idOf(someRun(runs, at))),
  'status of a run, from its log': ({ store, runs }, at) =>
    createRuntime({ store }).view(idOf(someRun(runs, at))),
  'a page of its events': ({ store, runs }, at) =>
    store.events(idOf(someRun(runs, at)), { after: 50, limit: 20 }),
  'figures by day and agent': ({ store }) => store.stats(),
  'a claim with nothing due': ({ store }) =>
    store.claim({ owner: 'bench', ttl: 1_000, limit: 10, agents: ['nobody'] }),
  'when is something due': ({ store }) => store.nextDue(Date.now()),
};

export async function queryCost(options: {
  /** Of the store: SQLite or PostgreSQL. */
  readonly name: string;
  readonly open: (name: string) => Promise<Store>;
  readonly fewRuns: number;
  readonly manyRuns: number;
  readonly samples: number;
}): Promise<TableResult> {
  const { name, open, fewRuns, manyRuns, samples } = options;
  const opened: Store[] = [];
  const fill = async (runs: number): Promise<Filled> => {
    const store = await open(`events-${runs * eventsPerRun}`);
    opened.push(store);
    await fillStore(store, runs);
    return { store, runs, middle: await middleOf(store, runs) };
  };
  try {
    const small = await fill(fewRuns);
    const large = await fill(manyRuns);
    const rows: string[][] = [];
    for (const [what, ask] of Object.entries(queries)) {
      const few: number[] = [];
      const many: number[] = [];
      for (let at = 0; at < samples + 20; at++) {
        const times = [await timed(() => ask(small, at)), await timed(() => ask(large, at))];
        if (at < 20) continue;
        few.push(times[0] ?? Number.NaN);
        many.push(times[1] ?? Number.NaN);
      }
      rows.push(row(what, spreadOf(few), spreadOf(many)));
    }
    return {
      kind: 'table',
      title: `What people look at (${name})`,
      head: [
        'query',
        `${label(fewRuns)}, ms (p10–p90)`,
        `${label(manyRuns)}, ms (p10–p90)`,
        'large against small',
        'target',
      ],
      rows,
      notes: [
        `Runs of ${eventsPerRun} events; pages of ${page.limit}; medians of ${samples}, small and large in turns.`,
      ],
    };
  } finally {
    for (const store of opened) await store.close();
  }
}

function row(what: string, few: Spread, many: Spread): string[] {
  const ratio = many.median / few.median;
  const met = ratio <= mostTimes ? 'met' : '**missed**';
  return [what, show(few), show(many), `${formatFigure(ratio)} ×`, `≤ ${mostTimes} × ${met}`];
}

async function middleOf(store: Store, runs: number): Promise<string> {
  let after: string | undefined;
  for (let seen = 0; seen < runs / 2; seen += 50) {
    const { next } = await store.runs({}, { limit: 50, ...(after !== undefined && { after }) });
    after = next;
  }
  if (after === undefined) throw new Error('The list ended before its middle.');
  return after;
}

/** Another run each time, all over the store; one that has ended. */
function someRun(runs: number, at: number): number {
  const number = (at * 7_919) % runs;
  return number - (number % kinds);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function label(runs: number): string {
  return `${(runs * eventsPerRun).toLocaleString('en')} events`;
}

function show({ median, p10, p90 }: Spread): string {
  return `${formatFigure(median)} (${formatFigure(p10)}–${formatFigure(p90)})`;
}
