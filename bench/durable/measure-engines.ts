import { type Spread, spreadOf } from '../harness/statistics.ts';
import { type Engine, type RunningEngine, stepsPerRun } from './engine.ts';

/** What an engine did at one number of runs at once. */
export interface EngineSpeed {
  readonly engine: Engine;
  readonly stepsPerSecond: Spread;
  /** Of each round, so that two engines are compared within the same minute. */
  readonly rounds: readonly number[];
}

export interface EngineMeasure {
  readonly running: ReadonlyMap<Engine, RunningEngine>;
  readonly atOnce: number;
  readonly rounds: number;
  /** How long one engine's turn should take. */
  readonly milliseconds: number;
}

export interface EngineSpeeds {
  readonly speeds: readonly EngineSpeed[];
  /** Why an engine is not among them. */
  readonly failed: readonly string[];
}

interface Turn {
  readonly engine: Engine;
  readonly take: () => Promise<number>;
  readonly rounds: number[];
  failure?: string;
}

/**
 * Everybody in turn, and again: a busy spell of the disk falls on all of them. Who goes first
 * changes from round to round. Whoever fails once is out.
 */
export async function measureEngines(measure: EngineMeasure): Promise<EngineSpeeds> {
  const turns: Turn[] = [];
  for (const [engine, child] of measure.running) {
    let runs = 0;
    const take = async () => {
      const order = { runs, atOnce: measure.atOnce };
      return (runs * stepsPerRun * 1_000) / (await child.run(order));
    };
    const turn: Turn = { engine, take, rounds: [] };
    await attempt(turn, async () => {
      runs = await runsFor(child, measure);
    });
    turns.push(turn);
  }
  for (let round = 0; round < measure.rounds; round++) {
    for (let place = 0; place < turns.length; place++) {
      const turn = turns[(round + place) % turns.length];
      if (turn === undefined || turn.failure !== undefined) continue;
      await attempt(turn, async () => {
        turn.rounds.push(await turn.take());
      });
    }
  }
  const sound = turns.filter(({ failure }) => failure === undefined);
  return {
    speeds: sound.map(({ engine, rounds }) => ({
      engine,
      rounds,
      stepsPerSecond: spreadOf(rounds),
    })),
    failed: turns.flatMap(({ failure }) => failure ?? []),
  };
}

async function attempt(turn: Turn, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const [reason] = String(error).split('\n');
    turn.failure = `${turn.engine.name} failed with ${reason}`;
  }
}

/** Warms the engine up, and finds how many runs fill its turn. */
async function runsFor(
  child: RunningEngine,
  { atOnce, milliseconds }: EngineMeasure,
): Promise<number> {
  let runs = atOnce;
  for (let spent = 0; ; ) {
    const took = await child.run({ runs, atOnce });
    spent += took;
    const enough = Math.ceil((runs * milliseconds) / took);
    if (spent >= milliseconds / 2) return Math.max(atOnce, enough);
    runs = Math.min(enough, runs * 4);
  }
}
