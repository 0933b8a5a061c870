/**
 * Carries wake-ups to workers, and nothing else: it may lose, double or delay them, and nothing
 * breaks. Which runs are due is in the store, and whoever looks there finds them without us.
 */
export interface Queue {
  /**
   * Tells some worker that this run may be due. Resolves when the wake-up is on its way, or when it
   * was given up, which `onProblem` is told of; it never rejects, so that who wrote to the store
   * need not wait for it. Wake-ups of one run that nobody heard yet are one wake-up.
   */
  publish(runId: string, options?: PublishOptions): Promise<void>;
  /**
   * Hears wake-ups until the returned function is called. Each goes to one subscriber of all that
   * share the queue, on whatever machine.
   */
  subscribe(listener: (runId: string) => void): () => void;
  /** Hears and sends nothing any more. Resolves when what was being sent is sent or given up. */
  close(): Promise<void>;
}

export interface PublishOptions {
  /** Higher goes first. A whole number; default 0. */
  readonly priority?: number;
  /** Milliseconds until it may be heard; it comes up to a second later than that. Default 0. */
  readonly delay?: number;
}

/** Something went wrong, and the queue goes on by itself. */
export interface QueueProblem {
  /** `publish`: wake-ups were given up. `listener`: a subscriber threw. */
  readonly what: 'publish' | 'connection' | 'listener';
  readonly error: unknown;
}

export interface QueueOptions {
  /** Told once of each problem of an outage, not at every attempt. */
  readonly onProblem?: (problem: QueueProblem) => void;
}
