import { createHash } from 'node:crypto';
import { defineTool, ForgeError, type Tool, ToolResolutionError } from '@forge/core';
import * as z from 'zod';
import { codeSchema, type Deployment } from '../../contracts.ts';
import { readInput } from '../agent-inputs.ts';
import type { DeployPort, RunPort } from '../ports.ts';

export interface DeployToolsOptions {
  readonly deploy: DeployPort;
  readonly runs: RunPort;
  /** A person has to say yes to each deployment. Default false. */
  readonly approval?: boolean;
  /** Default half an hour. */
  readonly timeoutMs?: number;
  /** A line of what is being done, for people. */
  readonly tell?: (runId: string, line: string) => void;
}

const halfAnHour = 1_800_000;

/** Looks whether a deployment could work, and does it. What is deployed is the commit of the run's input. */
export function deployTools(options: DeployToolsOptions): readonly Tool[] {
  const { deploy, runs, approval = false, timeoutMs = halfAnHour, tell = () => {} } = options;
  return [
    defineTool({
      name: 'check_target',
      description: `Says what the target "${deploy.target}" misses for a deployment, and how to mend it.`,
      input: z.object({}),
      idempotent: true,
      run: async (_, { runId, signal }) => {
        const { commit } = readInput('deployer', await runs.inputOf(runId));
        const problems = await deploy.check({ commit, runId, signal });
        if (problems.length === 0) return `Nothing is missing: ${deploy.target} is ready.`;
        const list = problems.map(({ problem, fix }) => `- ${problem} ${fix}`).join('\n');
        // An error, so that what is deployed all the same is not, and nobody goes on asking for ever.
        throw new ForgeError('deploy_failed', `The target ${deploy.target} is not ready:\n${list}`);
      },
    }),
    defineTool({
      name: 'deploy',
      description: `Builds the reviewed commit, starts it on "${deploy.target}", waits until it is healthy and gives it the traffic. If that fails, the version before goes on serving.`,
      // So that a person who is asked sees what will be deployed.
      input: z.object({
        commit: codeSchema.shape.commit.describe('The commit of your input, in full.'),
      }),
      prerequisites: ['check_target'],
      approval,
      // The id is that of the call, so that a repeat after a crash goes on with the same deployment.
      idempotent: true,
      timeout: timeoutMs,
      run: async (asked, { runId, idempotencyKey, signal }) => {
        const { commit } = readInput('deployer', await runs.inputOf(runId));
        if (asked.commit !== commit) {
          throw new ToolResolutionError(
            `The commit that was reviewed is ${commit}, and no other is deployed. Call deploy with it.`,
          );
        }
        const done = await deploy.deploy({
          id: deploymentId(idempotencyKey),
          commit,
          runId,
          signal,
          tell: (line) => tell(runId, line),
        });
        const deployment: Deployment = {
          deploymentId: done.id,
          target: deploy.target,
          commit: done.commit,
          digest: done.digest,
          ...(done.url !== undefined && { url: done.url }),
        };
        return JSON.stringify(deployment);
      },
    }),
  ];
}

/** The same call, the same deployment. */
export function deploymentId(idempotencyKey: string): string {
  return `dep_${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 16)}`;
}
