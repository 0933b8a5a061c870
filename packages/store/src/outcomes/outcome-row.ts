import type { Outcome } from '@forge/core';

/** An outcome with the run whose log it is on. */
export interface OutcomeRow extends Outcome {
  readonly runId: string;
  readonly rootId: string;
  readonly seq: number;
  readonly at: number;
}

/**
 * Everything that is said, together. Time, kind, run and family are looked up; the rest is read
 * through: a page looks at no more than 5,000 outcomes, so it may hold fewer than were asked for, or
 * none, while its `next` says that there are more.
 */
export interface OutcomeFilter {
  readonly runId?: string;
  readonly rootId?: string;
  readonly kind?: Outcome['kind'];
  readonly taskType?: string;
  readonly agent?: string;
  /** Recorded after this moment, and before that one. */
  readonly after?: number;
  readonly before?: number;
}
