import { availableParallelism } from 'node:os';
import { formatFigure } from './harness/markdown.ts';
import type { LiveBench } from './harness/table.ts';
import { crowd } from './proxy/case-table.ts';
import { forge } from './proxy/contenders/forge.ts';
import { type Laboratory, openLaboratory } from './proxy/laboratory.ts';
import type { Middle } from './proxy/middle.ts';

const workload = 'call-20';
const alone = forge('one process', [], 'anywhere');
const contenders = [
  alone,
  forge('--workers 1', ['--workers', '1'], 'anywhere'),
  forge('--workers 2', ['--workers', '2'], 'anywhere'),
];

interface Figures {
  readonly perSecond: number;
  /** Microseconds of processor time per request: of the proxy, and of the load and the backend. */
  readonly cpu: number;
  readonly own: number;
}

async function runOnce(lab: Laboratory, middle: Middle, milliseconds: number): Promise<Figures> {
  const before = lab.ownCpu();
  const run = { middle, workload, connections: crowd, milliseconds };
  const { requests, seconds, cpu = Number.NaN } = await lab.load.run(run);
  const own = (lab.ownCpu() - before) / 1e3 / requests;
  return { perSecond: requests / seconds, cpu, own };
}

function tableOf(best: ReadonlyMap<string, Figures>) {
  const cores = availableParallelism();
  const one = best.get(alone.name)?.perSecond ?? Number.NaN;
  const rows = [...best].map(([name, { perSecond, cpu, own }]) => [
    name,
    formatFigure(perSecond),
    `${formatFigure(perSecond / one)} ×`,
    formatFigure(cpu),
    formatFigure(own),
    formatFigure((cores * 1e6) / (cpu + own)),
  ]);
  return {
    kind: 'table',
    title: `Processes that share the work, ${crowd} connections, ${cores} cores`,
    head: [
      'Forge',
      'requests/s',
      'against one process',
      'CPU µs per request',
      'CPU µs of load and backend',
      'most the cores could do, requests/s',
    ],
    rows,
    notes: [
      'The load and the backend run on the same cores and cannot be moved away: the last column is what all cores together could do at that price per request.',
    ],
    data: Object.fromEntries(best),
  } as const;
}

export const bench: LiveBench = {
  name: 'proxy-workers',
  async *run({ quick }) {
    const rounds = quick ? 2 : 6;
    const milliseconds = quick ? 500 : 1_000;
    const lab = await openLaboratory(contenders);
    try {
      const best = new Map<string, Figures>();
      for (const middle of lab.middles.values()) await runOnce(lab, middle, 3_000);
      for (let round = 0; round < rounds; round++) {
        for (const [name, middle] of lab.middles) {
          const figures = await runOnce(lab, middle, milliseconds);
          if (figures.perSecond > (best.get(name)?.perSecond ?? 0)) best.set(name, figures);
        }
      }
      const table = tableOf(best);
      yield { ...table, notes: [...lab.skipped, ...table.notes] };
    } finally {
      await lab.stop();
    }
  },
};
