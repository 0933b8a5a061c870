import { type Agent, ForgeError } from '@forge/core';
import type { Rollback } from '../../contracts.ts';
import { agentInputs } from '../agent-inputs.ts';
import { judgeRollback } from '../judge-output.ts';
import type { DeployPort } from '../ports.ts';
import { oneStepProgram } from './one-step-program.ts';

const halfAnHour = 1_800_000;

/** Gives the traffic back to the last good version; with none, ends what serves. */
export function createRollback({
  deploy,
  timeoutMs = halfAnHour,
  tell = () => {},
}: {
  readonly deploy: DeployPort;
  readonly timeoutMs?: number;
  readonly tell?: (runId: string, line: string) => void;
}): Agent {
  return oneStepProgram({
    name: 'rollback',
    taskType: 'rollback',
    description: 'Goes back to the last good deployment.',
    input: agentInputs.rollback,
    timeout: timeoutMs,
    judge: judgeRollback,
    run: async ({ deployment, verification }, { runId, signal }): Promise<Rollback> => {
      const from = deployment.deploymentId;
      const problems = [...(verification?.problems ?? [])];
      const reason = (problems.join('; ') || 'It did not pass verification.').slice(0, 2_000);
      const order = { reason, signal, tell: (line: string) => tell(runId, line) };
      try {
        const { to } = await deploy.rollback({ from, ...order });
        return { status: 'rolled_back', from, to, reason, problems };
      } catch (error) {
        if (!ForgeError.is(error, 'nothing_to_roll_back')) throw error;
        await deploy.withdraw({ id: from, ...order });
        return { status: 'withdrawn', from, reason, problems };
      }
    },
  });
}
