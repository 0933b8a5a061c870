import { messageOf } from '@forge/core';
import type { QueueOptions, QueueProblem } from './queue.ts';

/** How many different problems of one outage are told. */
const most = 20;

export interface ProblemReport {
  tell(what: QueueProblem['what'], error: unknown): void;
  /** The server answers again: what comes next is news. */
  over(): void;
}

/** Tells each problem once while an outage lasts: clients try again for ever and fail the same way. */
export function reportProblems({ onProblem }: QueueOptions): ProblemReport {
  const told = new Set<string>();
  return {
    tell(what, error) {
      const problem = `${what}: ${messageOf(error)}`;
      if (told.has(problem) || told.size >= most) return;
      told.add(problem);
      onProblem?.({ what, error });
    },
    over() {
      told.clear();
    },
  };
}
