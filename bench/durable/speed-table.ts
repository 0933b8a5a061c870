import { formatFigure } from '../harness/markdown.ts';
import { spreadOf } from '../harness/statistics.ts';
import type { TableResult } from '../harness/table.ts';
import type { EngineSpeed } from './measure-engines.ts';

/** Steps per second of every engine, one run at a time and many at once. */
export function speedTable(options: {
  readonly alone: readonly EngineSpeed[];
  readonly crowded: readonly EngineSpeed[];
  readonly crowd: number;
  readonly rounds: number;
  readonly milliseconds: number;
  readonly notes: readonly string[];
}): TableResult {
  const { alone, crowded, crowd, rounds, milliseconds, notes } = options;
  const rows = crowded.map((many) => {
    const { engine } = many;
    const one = alone.find((each) => each.engine === engine);
    const effects = many.stepsPerSecond.median * engine.effectsPerStep;
    return [engine.name, engine.ground, spread(one), spread(many), formatFigure(effects)];
  });
  return {
    kind: 'table',
    title: 'A run of 10 steps that do nothing, each on disk before the next begins',
    head: [
      'engine',
      'durability',
      'steps/s, 1 at a time (p10–p90)',
      `steps/s, ${crowd} at once (p10–p90)`,
      `effects/s, ${crowd} at once`,
    ],
    rows,
    notes: [
      ...notes,
      `Median of ${rounds} rounds of about ${milliseconds} ms, in turns, each engine in a process of its own.`,
      'An effect is something done once, whose result is on disk before the next begins. A step of the others is one effect: a function. A step of ours is an agent’s, and two: a model’s reply and a tool call, each with its intent written before and its result after.',
      'BullMQ alone keeps no log: a job is a step, which queues the next one.',
    ],
    data: { alone: figures(alone), crowded: figures(crowded) },
  };
}

/** How much faster one is than another, as the median of what it was in each round. */
export function timesFaster(ours: EngineSpeed, theirs: EngineSpeed): number {
  const ratios = ours.rounds.map((speed, round) => speed / (theirs.rounds[round] ?? Number.NaN));
  return spreadOf(ratios).median;
}

/** What we promise, which is of steps, and what this run says of it. */
export function targetTable(
  crowded: readonly EngineSpeed[],
  names: Readonly<Record<'sqlite' | 'postgres', string>>,
): TableResult {
  const find = (start: string) => crowded.find(({ engine }) => engine.name.startsWith(start));
  const targets = [
    { ours: names.postgres, theirs: 'DBOS', on: 'PostgreSQL', least: 3 },
    { ours: names.sqlite, theirs: 'LangGraph.js', on: 'SQLite', least: 5 },
    { ours: names.sqlite, theirs: 'Restate', on: '', least: 1 },
  ];
  const rows = targets.map(({ ours, theirs, on, least }) => {
    const us = find(ours);
    const them = crowded.find(
      ({ engine }) => engine.name.startsWith(theirs) && engine.name.endsWith(on),
    );
    const what = `${ours} ≥ ${least} × ${theirs}${on === '' ? '' : ` on ${on}`}`;
    if (us === undefined || them === undefined) return [what, 'not measured', '', ''];
    const times = timesFaster(us, them);
    const effects = (times * us.engine.effectsPerStep) / them.engine.effectsPerStep;
    const verdict = times >= least ? 'met' : '**missed**';
    return [what, `${formatFigure(times)} ×`, verdict, `${formatFigure(effects)} ×`];
  });
  return {
    kind: 'table',
    title: 'Targets at 50 at once',
    head: ['target, in steps/s', 'this run', '', 'in effects/s'],
    rows,
    notes: [],
  };
}

function spread(speed: EngineSpeed | undefined): string {
  if (speed === undefined) return '–';
  const { median, p10, p90 } = speed.stepsPerSecond;
  return `${formatFigure(median)} (${formatFigure(p10)}–${formatFigure(p90)})`;
}

function figures(speeds: readonly EngineSpeed[]) {
  return speeds.map(({ engine, rounds }) => ({ engine: engine.name, stepsPerSecond: rounds }));
}
