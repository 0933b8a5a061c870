/** A durable engine of the bench, set up and waiting for orders in a process of its own. */
export interface RunningEngine {
  /** Carries out that many runs of ten steps, so many at the same time. Gives milliseconds. */
  run(order: RunOrder): Promise<number>;
  stop(): Promise<void>;
}

export interface RunOrder {
  readonly runs: number;
  readonly atOnce: number;
}

export interface Engine {
  readonly name: string;
  /** Where its log lies, and when it counts as written. */
  readonly ground: string;
  /** What is written down of each step: effects whose results are durable. */
  readonly effectsPerStep: number;
  /** `folder` is its own and empty. Rejects if it cannot be had here. */
  start(options: { readonly folder: string }): Promise<RunningEngine>;
}

/** Every run of every engine has so many. */
export const stepsPerRun = 10;
