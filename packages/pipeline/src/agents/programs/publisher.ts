import type { Agent } from '@forge/core';
import { agentInputs } from '../agent-inputs.ts';
import type { WorkspacePort } from '../ports.ts';
import { oneStepProgram } from './one-step-program.ts';

/** Makes a branch of the work, where its owner finds it. */
export function createPublisher(workspace: WorkspacePort): Agent {
  return oneStepProgram({
    name: 'publisher',
    taskType: 'publish',
    description: 'Makes a branch of a commit.',
    input: agentInputs.publisher,
    run: async ({ commit, request }, { runId }) => {
      const { path: repo } = await workspace.repoOf(runId);
      const name = `forge/${workspace.slugFor(request)}`;
      return { branch: await workspace.makeBranch({ repo, name, commit }), commit };
    },
  });
}
