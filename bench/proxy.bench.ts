import { formatFigure } from './harness/markdown.ts';
import type { LiveBench, TableResult } from './harness/table.ts';
import { bestOf } from './proxy/best-of.ts';
import { type CaseResult, caseTable, crowd } from './proxy/case-table.ts';
import { canPin } from './proxy/child.ts';
import { bare } from './proxy/contenders/bare.ts';
import { direct } from './proxy/contenders/direct.ts';
import { forge } from './proxy/contenders/forge.ts';
import { nginx } from './proxy/contenders/nginx.ts';
import { portkey } from './proxy/contenders/portkey.ts';
import { openLaboratory } from './proxy/laboratory.ts';
import type { LoadDriver } from './proxy/load-driver.ts';
import { measureRounds } from './proxy/measure-rounds.ts';
import type { Middle } from './proxy/middle.ts';
import { probe } from './proxy/probe.ts';
import { published } from './proxy/published.ts';
import { targetTable } from './proxy/targets.ts';
import { type Workload, workloads } from './proxy/workload.ts';

const ours = forge('Forge');
const contenders = [direct, nginx, bare, ours, forge('Forge, --sessions', ['--sessions']), portkey];

const thorough = { rounds: 5, milliseconds: 400, warmUp: 1_500 };
const quick = { rounds: 3, milliseconds: 200, warmUp: 800 };
type Pace = typeof thorough;

async function measureCase(options: {
  readonly load: LoadDriver;
  readonly middles: ReadonlyMap<string, Middle>;
  readonly workload: Workload;
  readonly pace: Pace;
}): Promise<CaseResult> {
  const { load, middles, workload, pace } = options;
  const { rounds, warmUp } = pace;
  // A stream takes a fifth of a second by itself, and a round has to hold several.
  const milliseconds = pace.milliseconds * (workload.stream ? 2 : 1);
  const common = { load, middles, workload, rounds, milliseconds };
  await measureRounds({ ...common, connections: crowd, rounds: 1, milliseconds: warmUp });
  const alone = await measureRounds({ ...common, connections: 1 });
  const crowded = await measureRounds({ ...common, connections: crowd });
  return { workload, alone: bestOf(alone, bare.name), crowded: bestOf(crowded, bare.name) };
}

/** Those whose answer is right; for the others a line that says what came instead. */
async function rightOnes(middles: ReadonlyMap<string, Middle>, workload: Workload) {
  const right = new Map<string, Middle>();
  const wrong: string[] = [];
  for (const [name, middle] of middles) {
    try {
      await probe(middle, workload);
      right.set(name, middle);
    } catch (error) {
      const what = error instanceof Error ? error.message.slice(0, 200) : String(error);
      wrong.push(`${name} does not get this right: ${what.replaceAll(/\s+/g, ' ')}`);
    }
  }
  return { right, wrong };
}

function publishedTable(): TableResult {
  return {
    kind: 'table',
    title: 'What others publish',
    head: ['proxy', 'added to the median, ms', 'CPU µs per request', 'where from'],
    rows: published.map(({ name, addedP50, cpu, source }) => [
      name,
      addedP50 === undefined ? '–' : formatFigure(addedP50),
      formatFigure(cpu),
      source,
    ]),
    notes: ['Other machines and other requests: for the scale only. None of it is from this run.'],
  };
}

export const bench: LiveBench = {
  name: 'proxy',
  async *run(options) {
    const pace = options.quick ? quick : thorough;
    const lab = await openLaboratory(contenders);
    try {
      const notes = [
        ...lab.skipped,
        canPin()
          ? 'What is in the middle has one core to itself; the load and the backend are on another.'
          : 'Nothing is bound to a core here: latencies and requests per second are rough.',
        `Best of ${pace.rounds} rounds of ${pace.milliseconds} ms, in turns; the ratio is the median of the rounds.`,
      ];
      const cases: CaseResult[] = [];
      for (const workload of workloads) {
        const { right, wrong } = await rightOnes(lab.middles, workload);
        const result = await measureCase({ load: lab.load, middles: right, workload, pace });
        cases.push(result);
        yield caseTable(result, [...(cases.length === 1 ? notes : []), ...wrong]);
      }
      yield targetTable(cases, { ours: ours.name, bare: bare.name, portkey: portkey.name });
      yield publishedTable();
    } finally {
      await lab.stop();
    }
  },
};
