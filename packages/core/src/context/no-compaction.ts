import type { CompactionStrategy } from './compaction.ts';

/** Leaves the window alone. A request over budget is then `too_large`. */
export function noCompaction(): CompactionStrategy {
  return () => undefined;
}
