import type { LoadDriver, RunResult } from './load-driver.ts';
import type { Middle } from './middle.ts';
import type { Workload } from './workload.ts';

export interface RoundOptions {
  readonly load: LoadDriver;
  readonly middles: ReadonlyMap<string, Middle>;
  readonly workload: Workload;
  readonly connections: number;
  readonly rounds: number;
  readonly milliseconds: number;
}

/** The results of every contender, round by round. */
export type Rounds = ReadonlyMap<string, readonly RunResult[]>;

/**
 * Everybody in turn, and again: a busy spell of the machine falls on all of them. Who goes first
 * changes from round to round.
 */
export async function measureRounds(options: RoundOptions): Promise<Rounds> {
  const { load, middles, workload, connections, rounds, milliseconds } = options;
  const entries = [...middles];
  const results = new Map<string, RunResult[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const [name, middle] = entries[(round + turn) % entries.length] ?? [];
      if (name === undefined || middle === undefined) continue;
      const run = { middle, workload: workload.name, connections, milliseconds };
      results.get(name)?.push(await load.run(run));
    }
  }
  return results;
}
