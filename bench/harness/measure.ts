import type { Contender } from './bench.ts';
import { forget, keep } from './keep.ts';

export interface MeasureOptions {
  /** Milliseconds, from any start. */
  readonly clock: () => number;
  readonly rounds: number;
  /** How long one sample of one contender should take, in milliseconds. */
  readonly sampleTime: number;
  /** How long each contender runs before anything counts, in milliseconds. */
  readonly warmUpTime: number;
}

/** Nanoseconds per run, one sample for each round. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/**
 * Times contenders in turns (A, B, C, B, C, A, …), so that a busy spell of the machine falls
 * on all of them and their ratio within a round stays honest. Who goes first changes from
 * round to round, so that nobody always inherits a neighbour's garbage.
 */
export function measure(contenders: readonly Contender[], options: MeasureOptions): Samples {
  const batches = new Map(contenders.map((each) => [each.name, batchSize(each, options)]));
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(round + turn) % contenders.length];
      if (contender === undefined) continue;
      const batch = batches.get(contender.name) ?? 1;
      const time = timeBatch(contender, batch, options.clock);
      samples.get(contender.name)?.push((time * 1e6) / batch);
      forget();
    }
  }
  return samples;
}

/** Warms the contender up, and finds how many runs fill a sample. */
function batchSize(contender: Contender, options: MeasureOptions): number {
  const { clock, sampleTime, warmUpTime } = options;
  let batch = 1;
  let time = timeBatch(contender, batch, clock);
  let spent = time;
  while (spent < warmUpTime || time < sampleTime / 2) {
    if (time < sampleTime / 2) batch *= 2;
    time = timeBatch(contender, batch, clock);
    spent += time;
    if (batch >= 2 ** 24) break;
  }
  return Math.max(1, Math.round((batch * sampleTime) / Math.max(time, sampleTime / 100)));
}

function timeBatch({ run }: Contender, batch: number, clock: () => number): number {
  const start = clock();
  for (let done = 0; done < batch; done++) keep(run());
  return clock() - start;
}
