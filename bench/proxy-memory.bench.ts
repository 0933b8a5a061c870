import { formatFigure } from './harness/markdown.ts';
import type { LiveBench, TableResult } from './harness/table.ts';
import { crowd } from './proxy/case-table.ts';
import { bare } from './proxy/contenders/bare.ts';
import { forge } from './proxy/contenders/forge.ts';
import { type Laboratory, openLaboratory } from './proxy/laboratory.ts';
import type { Middle } from './proxy/middle.ts';

/** Every stage has all kinds of traffic, most of it whole replies with a call. */
const stage = [
  { workload: 'call-20', share: 0.9 },
  { workload: 'text-20', share: 0.08 },
  { workload: 'stream-call', share: 0.02 },
] as const;
const stages = 5;
/** Resident memory may be that much higher at the end than after the first stage. */
const most = 1.1;

interface Reading {
  readonly requests: number;
  readonly rss: number;
  readonly heap: number;
}

async function watch(lab: Laboratory, middle: Middle, perStage: number): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (let done = 1; done <= stages; done++) {
    for (const { workload, share } of stage) {
      const requests = Math.round(perStage * share);
      const run = { middle, workload, connections: crowd, milliseconds: 1e9, requests };
      await lab.load.run(run);
    }
    const heap = (await middle.collect?.()) ?? Number.NaN;
    const rss = middle.usage?.().rss ?? Number.NaN;
    readings.push({ requests: done * perStage, rss, heap });
  }
  return readings;
}

function memoryTable(
  readings: ReadonlyMap<string, readonly Reading[]>,
  quick: boolean,
): TableResult {
  const [some = []] = readings.values();
  const megabytes = (bytes: number) => formatFigure(bytes / 1e6);
  const rows = [...readings].map(([name, list]) => {
    const growth = (list.at(-1)?.rss ?? Number.NaN) / (list[0]?.rss ?? Number.NaN);
    return [
      name,
      ...list.map(({ rss, heap }) => `${megabytes(rss)} (${megabytes(heap)})`),
      `${formatFigure(growth)} ×`,
      // The promise is ours, and a short run is over before the heap has found its size.
      quick || name === bare.name ? '' : `≤ ${most} × ${growth <= most ? 'met' : '**missed**'}`,
    ];
  });
  return {
    kind: 'table',
    title: 'Resident memory (heap after a collection), MB, after so many requests',
    head: [
      'in the middle',
      ...some.map(({ requests }) => requests.toLocaleString('en')),
      'last against first',
      'target',
    ],
    rows,
    notes: [
      'Every request is another conversation. Of each hundred, 90 replies are whole with a call, 8 are text, 2 are streams.',
    ],
    data: Object.fromEntries(readings),
  };
}

export const bench: LiveBench = {
  name: 'proxy-memory',
  async *run({ quick }) {
    const contenders = [bare, forge('Forge'), forge('Forge, --sessions', ['--sessions'])];
    const lab = await openLaboratory(contenders);
    try {
      const readings = new Map<string, Reading[]>();
      for (const [name, middle] of lab.middles) {
        readings.set(name, await watch(lab, middle, quick ? 2_000 : 20_000));
      }
      const table = memoryTable(readings, quick);
      yield { ...table, notes: [...lab.skipped, ...table.notes] };
    } finally {
      await lab.stop();
    }
  },
};
