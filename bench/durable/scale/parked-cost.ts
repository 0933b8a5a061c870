import { formatFigure } from '../../harness/markdown.ts';
import { type Spread, spreadOf } from '../../harness/statistics.ts';
import type { TableResult } from '../../harness/table.ts';
import { type ParkedWorker, startParkedWorker } from './parked-worker.ts';

const few = 10;
const mostMegabytes = 20;
const mostTimes = 2;

export interface ParkedOptions {
  /** Of the store: SQLite or PostgreSQL. */
  readonly name: string;
  /** A new store, by name. */
  readonly address: (name: string) => Promise<string>;
  readonly many: number;
  readonly wakeUps: number;
}

/** What runs that wait cost a worker that has nothing to do with them. */
export async function parkedCost({
  name,
  address,
  many,
  wakeUps,
}: ParkedOptions): Promise<TableResult> {
  const counts = [0, few, many];
  const workers = new Map<number, ParkedWorker>();
  try {
    for (const count of counts) {
      const url = await address(`parked-${count}`);
      await parkRuns(url, count);
      workers.set(count, await startParkedWorker(url));
    }
    const rss = new Map<number, number>();
    for (const [count, worker] of workers) rss.set(count, await worker.rss());
    const times = await wakeInTurns(workers, wakeUps);
    return table({ name, many, wakeUps, rss, times });
  } finally {
    await Promise.all(Array.from(workers.values(), (worker) => worker.stop()));
  }
}

/** In a process that is gone afterwards: what it took to make them is not what they cost. */
async function parkRuns(url: string, count: number): Promise<void> {
  if (count === 0) return;
  const builder = await startParkedWorker(url);
  try {
    await builder.park(count);
  } finally {
    await builder.stop();
  }
}

async function wakeInTurns(
  workers: ReadonlyMap<number, ParkedWorker>,
  wakeUps: number,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const times = new Map<number, number[]>();
  const perRound = 10;
  for (let round = 0; round * perRound < wakeUps; round++) {
    for (const [among, worker] of workers) {
      if (among === 0) continue;
      const taken = await worker.wake({ count: perRound, among, round });
      // The first rounds warm up.
      if (round >= 2) times.set(among, [...(times.get(among) ?? []), ...taken]);
    }
  }
  return times;
}

function table(options: {
  readonly name: string;
  readonly many: number;
  readonly wakeUps: number;
  readonly rss: ReadonlyMap<number, number>;
  readonly times: ReadonlyMap<number, readonly number[]>;
}): TableResult {
  const { name, many, wakeUps, rss, times } = options;
  const empty = rss.get(0) ?? Number.NaN;
  const base = spreadOf(times.get(few) ?? []);
  const rows = Array.from(rss, ([count, bytes]) => {
    const more = (bytes - empty) / 1e6;
    const woken = times.get(count);
    const spread = woken && spreadOf(woken);
    const ratio = spread && spread.median / base.median;
    const targets =
      count === many
        ? [
            `≤ ${mostMegabytes} MB more ${more <= mostMegabytes ? 'met' : '**missed**'}`,
            `≤ ${mostTimes} × ${ratio !== undefined && ratio <= mostTimes ? 'met' : '**missed**'}`,
          ]
        : [];
    return [
      count.toLocaleString('en'),
      formatFigure(bytes / 1e6),
      formatFigure(more),
      spread === undefined ? '–' : show(spread),
      ratio === undefined ? '–' : `${formatFigure(ratio)} ×`,
      targets.join(', '),
    ];
  });
  return {
    kind: 'table',
    title: `Runs that wait (${name})`,
    head: [
      'parked runs',
      'RSS of an idle worker, MB',
      'more than empty, MB',
      'wake-up, ms (p10–p90)',
      `against ${few}`,
      'targets',
    ],
    rows,
    notes: [
      `A wake-up is from the message to the run being parked again, with the model's answer between: ${wakeUps} of them, in turns.`,
    ],
    data: { rss: [...rss], times: [...times] },
  };
}

function show({ median, p10, p90 }: Spread): string {
  return `${formatFigure(median)} (${formatFigure(p10)}–${formatFigure(p90)})`;
}
