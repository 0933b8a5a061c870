import type { Program, ProgramStep, ProgramView } from '@forge/core';
import type { CheckedPipeline } from '../definition/compile-pipeline.ts';
import { describeChanged, describeFailures } from './explain.ts';
import { resolveAll } from './resolve-ref.ts';
import { type Trace, tracePipeline } from './trace.ts';

/**
 * The program of a pipeline: which nodes begin next is a pure function of the calls so far. Ids of
 * calls say what they are (`review#2.1`), so the log alone tells where a run stands.
 */
export function planPipeline(checked: CheckedPipeline): Program {
  return (view: ProgramView): ProgramStep => {
    const trace = tracePipeline(checked, view);
    const { failures, open, starts, unexplained } = trace;
    if (unexplained !== undefined) {
      return { type: 'fail', explanation: describeChanged(checked.definition.name, unexplained) };
    }
    if (failures.length > 0) {
      const waits = open > 0 && failures.every(({ policy }) => policy === 'finish');
      return waits
        ? { type: 'call', calls: [] }
        : { type: 'fail', explanation: describeFailures(failures) };
    }
    const room = Math.max(0, checked.definition.parallel - open);
    if (open > 0 || starts.length > 0) return { type: 'call', calls: starts.slice(0, room) };
    return { type: 'finish', output: JSON.stringify(resultOf(checked, trace)) };
  };
}

function resultOf({ nodes, definition }: CheckedPipeline, trace: Trace) {
  return {
    success: true,
    nodes: nodes.map(({ id }, index) => {
      const { round = 0, attempts = 0, status = 'pending' } = trace.nodes[index] ?? {};
      return { id, round, attempts, status };
    }),
    output: resolveAll(definition.output ?? {}, trace.lookup),
  };
}
