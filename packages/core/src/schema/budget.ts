/**
 * How far one check may go. Values nest by following `$ref`, so only references are counted: a
 * schema without them is bounded by its own size. The limits hold whatever the value and the
 * schema are, so no value can overflow the stack or keep the process busy without end.
 */
export interface Budget {
  /** Schema levels on the stack, summed over the references being followed. */
  depth: number;
  /** References followed since the check began. */
  hops: number;
}

/** Deeper schemas are refused when compiled. */
export const MAX_SCHEMA_DEPTH = 100;
const MAX_DEPTH = 500;
const MAX_HOPS = 200_000;
/** What following a reference costs when reasons are wanted: every branch is looked at. */
export const EXPLAIN_HOPS = 10;

/** Thrown inside a check that ran out of its budget; caught where the check began. */
export class LimitExceeded extends Error {
  readonly limit: string;

  constructor(limit: string) {
    super(limit);
    this.limit = limit;
  }
}

export function startBudget(budget: Budget): void {
  budget.depth = 0;
  budget.hops = 0;
}

/** `levels` come off again when the reference is left; on a throw the whole check ends. */
export function enterReference(budget: Budget, levels: number, hops: number): void {
  budget.depth += levels;
  budget.hops += hops;
  if (budget.depth > MAX_DEPTH) throw new LimitExceeded('it is nested too deep to be checked');
  if (budget.hops > MAX_HOPS) throw new LimitExceeded('it takes too long to be checked');
}
