import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openSqliteStore } from '@forge/store';
import { createRuntime } from '../../../packages/runtime/src/control/create-runtime.ts';
import { createWorker } from '../../../packages/runtime/src/worker/create-worker.ts';
import { formatFigure } from '../../harness/markdown.ts';
import { type Spread, spreadOf } from '../../harness/statistics.ts';
import type { TableResult } from '../../harness/table.ts';
import { PageModel, reader } from './reader-agent.ts';
import { Resting } from './resting.ts';

const eventsPerPage = 5;
const pagesPerTurn = 1;
const pagesInARow = 20;
const most = 1.5;

/** What a turn costs in a run of 10,000 events, and in one of 100. */
export async function turnCost(options: {
  readonly folder: string;
  readonly turns: number;
  readonly longPast: number;
  readonly shortPast: number;
}): Promise<TableResult> {
  const { folder, turns, longPast, shortPast } = options;
  // Without waiting for the disk, which would hide what is asked here.
  const store = await openSqliteStore({ file: join(folder, 'turns.db'), synchronous: 'normal' });
  const model = new PageModel();
  const resting = new Resting();
  const runtime = createRuntime({ store });
  const worker = createWorker({ store, agents: [reader], model, onRest: resting.onRest });
  const settle = async (id: string, pages: number, begin: () => Promise<unknown>) => {
    model.tell(pages);
    const rests = resting.next(id);
    const start = performance.now();
    await begin();
    await rests;
    return performance.now() - start;
  };
  const launch = (id: string, events: number) =>
    settle(id, Math.ceil(events / eventsPerPage), () => runtime.launch('reader', 'Go.', { id }));
  const turn = (id: string, pages: number) =>
    settle(id, pages, () => runtime.send(id, `Another ${pages}.`));
  try {
    await launch('long', longPast);
    const taken = { long: [] as number[], short: [] as number[] };
    const inARow = { long: [] as number[], short: [] as number[] };
    for (let at = 0; at < turns; at++) {
      const short = `short-${at}`;
      await launch(short, shortPast);
      taken.long.push(await turn('long', pagesPerTurn));
      taken.short.push(await turn(short, pagesPerTurn));
      inARow.long.push((await turn('long', pagesInARow)) / pagesInARow);
      inARow.short.push((await turn(short, pagesInARow)) / pagesInARow);
    }
    const past = (await store.run('long'))?.seq ?? 0;
    return table({ taken, inARow, past, shortPast, turns });
  } finally {
    await worker.stop({ grace: 0 });
    await store.close();
  }
}

interface Pair {
  readonly long: readonly number[];
  readonly short: readonly number[];
}

function table(options: {
  readonly taken: Pair;
  readonly inARow: Pair;
  readonly past: number;
  readonly shortPast: number;
  readonly turns: number;
}): TableResult {
  const { taken, inARow, past, shortPast, turns } = options;
  const row = (what: string, pair: Pair) => {
    const short = spreadOf(pair.short);
    const long = spreadOf(pair.long);
    const ratio = long.median / short.median;
    const met = ratio <= most ? 'met' : '**missed**';
    return [what, show(short), show(long), `${formatFigure(ratio)} ×`, `≤ ${most} × ${met}`];
  };
  return {
    kind: 'table',
    title: 'A turn in a run with a long past (SQLite)',
    head: [
      'what',
      `${shortPast} events, ms (p10–p90)`,
      `10,000 events and more, ms (p10–p90)`,
      'long against short',
      'target',
    ],
    rows: [
      row('a turn of a parked run: message, load, model, tool, model, park', taken),
      row(`a turn among ${pagesInARow} in a row`, inARow),
    ],
    notes: [
      `Medians of ${turns} turns, long and short in turns. The long run had ${past.toLocaleString('en')} events at the end.`,
      'The window holds about twenty turns in both. `synchronous` is NORMAL here, so that the disk hides nothing.',
    ],
    data: { taken, inARow },
  };
}

function show({ median, p10, p90 }: Spread): string {
  return `${formatFigure(median)} (${formatFigure(p10)}–${formatFigure(p90)})`;
}
