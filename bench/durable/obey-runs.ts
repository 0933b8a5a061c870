import { performance } from 'node:perf_hooks';
import { type RunOrder, stepsPerRun } from './engine.ts';

/**
 * In an engine's process: carries out orders until told to end. `runOne` takes a run from its start
 * to the moment its result is durable and known, and gives how many steps it took.
 */
export function obeyRuns(options: {
  readonly runOne: () => Promise<number>;
  readonly close?: () => Promise<void>;
}): void {
  process.on('message', (order: RunOrder) => {
    carryOut(order, options.runOne).then(
      (milliseconds) => process.send?.({ milliseconds }),
      (error: unknown) =>
        process.send?.({ failed: error instanceof Error ? error.stack : String(error) }),
    );
  });
  const end = () => {
    const close = options.close ?? (() => Promise.resolve());
    // An orderly exit also writes the profile of `--cpu-prof`.
    close().finally(() => process.exit());
  };
  process.once('SIGTERM', end);
  process.once('disconnect', end);
  process.send?.({ ready: true });
}

/** Keeps `atOnce` runs going until all are done. */
async function carryOut({ runs, atOnce }: RunOrder, runOne: () => Promise<number>) {
  let left = runs;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const steps = await runOne();
      if (steps !== stepsPerRun) throw new Error(`A run took ${steps} steps, not ${stepsPerRun}.`);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: atOnce }, lane));
  return performance.now() - start;
}
