import type { ProgramView } from '@forge/core';
import { type CheckedPipeline, pipelineProgress } from '@forge/pipeline';
import type { PlannedStep } from '../progress/reporter.ts';

/** The steps of a pipeline that no run stands for: those to come, and those passed over. */
export function plannedSteps(pipeline: CheckedPipeline, view: ProgramView): readonly PlannedStep[] {
  // A node that was done in an earlier round has its runs to show.
  const done = new Set(view.calls.map(({ name }) => name));
  return pipelineProgress(pipeline, view).flatMap(
    ({ id, status, callIds }): readonly PlannedStep[] => {
      if (status === 'pending' && callIds.length === 0) return [{ name: id, status }];
      return status === 'skipped' && !done.has(id) ? [{ name: id, status }] : [];
    },
  );
}
