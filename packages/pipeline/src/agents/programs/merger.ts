import type { Agent } from '@forge/core';
import type { Code, Merge } from '../../contracts.ts';
import { agentInputs } from '../agent-inputs.ts';
import type { WorkspacePort } from '../ports.ts';
import { oneStepProgram } from './one-step-program.ts';

/** Puts what several coders made together, in order. A conflict is its result, not its failure. */
export function createMerger(workspace: WorkspacePort): Agent {
  return oneStepProgram({
    name: 'merger',
    taskType: 'merge',
    description: 'Merges commits in order.',
    input: agentInputs.merger,
    run: async ({ base, results, after }, { runId, signal }): Promise<Merge> => {
      const left = results.slice(results.findIndex(({ commit }) => commit === after) + 1);
      const [next, ...others] = left;
      if (next === undefined) return { status: 'merged', commit: base };
      // One coder alone began at the base: its commit is the result.
      if (others.length === 0 && after === undefined) {
        return { status: 'merged', commit: next.commit };
      }
      const { path: repo } = await workspace.repoOf(runId);
      return workspace.mergeCommits({
        repo,
        base,
        commits: left.map((code) => ({ id: titleOf(code, results), commit: code.commit })),
        message: 'Merge the work of several coders',
        signal,
      });
    },
  });
}

function titleOf(code: Code, results: readonly Code[]): string {
  const [line = ''] = code.summary.trim().split('\n');
  return line.slice(0, 100) || `part ${results.indexOf(code) + 1}`;
}
