import { canonicalJson, holdsRedacted, type JsonObject, type ProgramCall } from '@forge/core';
import type { CheckedPipeline } from '../definition/compile-pipeline.ts';

/** Arguments that a pipeline would give again: it is asked after each result, and compares each call once. */
const compared = new WeakMap<CheckedPipeline, WeakSet<JsonObject>>();

/**
 * Finds a call that the pipeline, as it is written now, would not have made: then it was changed
 * after the run began, and results would be taken for what they are not.
 */
export function compareCalls(checked: CheckedPipeline, calls: readonly ProgramCall[]) {
  const same = compared.get(checked) ?? new WeakSet();
  compared.set(checked, same);
  const made = new Set<string>();
  let different: ProgramCall | undefined;
  return {
    /** The pipeline makes this call, with these arguments. */
    makes(call: ProgramCall, args: () => JsonObject): void {
      made.add(call.id);
      if (same.has(call.args)) return;
      if (isSame(call.args, args())) same.add(call.args);
      else different ??= call;
    },
    /** Undefined if it makes them all. */
    unexplained(): ProgramCall | undefined {
      return different ?? calls.find(({ id }) => !made.has(id));
    },
  };
}

/** What was redacted when it was kept cannot be compared. */
function isSame(made: JsonObject, now: JsonObject): boolean {
  return holdsRedacted(made) || canonicalJson(made) === canonicalJson(now);
}
