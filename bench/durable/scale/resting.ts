import type { WorkerOptions } from '../../../packages/runtime/src/worker/worker.ts';

/** Tells when a worker has let go of a run. */
export class Resting {
  readonly #waiting = new Map<string, () => void>();

  /** For `createWorker`. */
  readonly onRest: NonNullable<WorkerOptions['onRest']> = (runId) => {
    this.#waiting.get(runId)?.();
    this.#waiting.delete(runId);
  };

  /** Resolves the next time it does. Ask before giving it a reason. */
  next(runId: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(runId, resolve));
  }
}
