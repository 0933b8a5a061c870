import { defineTool, type Tool, ToolOutput, ToolResolutionError, text } from '@forge/core';
import * as z from 'zod';
import { type Acceptance, httpCheckSchema, type Verification } from '../../contracts.ts';
import { type AgentInput, readInput } from '../agent-inputs.ts';
import type { DeployPort, RunPort } from '../ports.ts';
import {
  healthCheck,
  judgeEvidence,
  readEvidence,
  type SmokeRecord,
  smokeTest,
  untested,
} from './evidence.ts';
import { askService, type HttpLimits } from './http-request.ts';

export interface VerifyToolsOptions {
  readonly deploy: DeployPort;
  readonly runs: RunPort;
  readonly http?: HttpLimits | undefined;
}

/** Tools that look at a deployment from outside and say, from what they saw alone, whether it is right. */
export function verifyTools(options: VerifyToolsOptions): readonly Tool[] {
  return [healthTool(options), smokeTool(options), submitTool(options)];
}

function healthTool({ deploy }: VerifyToolsOptions): Tool {
  return defineTool({
    name: healthCheck,
    description: 'Asks the deployed service whether it is healthy.',
    input: z.object({}),
    idempotent: true,
    run: async (_, { signal }) => {
      const { healthy, report } = await deploy.health(signal);
      const said = `${healthy ? 'Healthy' : 'NOT healthy'}: ${report}`;
      return new ToolOutput([text(said), text(JSON.stringify({ healthy, report }))]);
    },
  });
}

function smokeTool({ runs, http }: VerifyToolsOptions): Tool {
  return defineTool({
    name: smokeTest,
    description:
      'Tests one acceptance check of the plan with an HTTP request to the deployed service. Without request: the one the plan gives.',
    input: z.object({
      acceptance: z.string().min(1).describe('The id of the acceptance check.'),
      request: httpCheckSchema
        .optional()
        .describe('Needed where the plan gives none; else a test on top of its own.'),
    }),
    // Asked again after a crash it may post twice, as any client that tries again does.
    idempotent: true,
    run: async ({ acceptance: id, request }, { runId, signal }) => {
      const input = readInput('verifier', await runs.inputOf(runId));
      const acceptance = find(input, id);
      const check = request ?? acceptance.http;
      if (check === undefined) {
        throw new ToolResolutionError(
          `The plan gives no request for "${id}" (${acceptance.description}). Write one: smoke_test {"acceptance": "${id}", "request": {"path": "/…", "status": 200, "includes": ["…"]}}.`,
        );
      }
      const { url } = input.deployment;
      if (url === undefined) {
        throw new ToolResolutionError('This deployment has no address, so it cannot be asked.');
      }
      const { passed, got } = await askService({ url, check }, signal, http);
      const planned = request === undefined;
      const record: SmokeRecord = { acceptance: id, planned, passed, request: check, got };
      const said = `${passed ? 'Passed' : 'FAILED'}: ${id}: ${got}`;
      return new ToolOutput([text(said), text(JSON.stringify(record))]);
    },
  });
}

function submitTool({ deploy, runs }: VerifyToolsOptions): Tool {
  return defineTool({
    name: 'submit_verification',
    description:
      'Ends your work. The verdict follows from the health check and the last result of each smoke test; you say what it means.',
    input: z.object({
      summary: z.string().min(1).max(8_000),
      not_testable: z
        .array(z.object({ acceptance: z.string(), reason: z.string().min(1).max(1_000) }))
        .max(50)
        .optional()
        .describe(
          'Checks of the plan, without a request of its own, that no HTTP request can show.',
        ),
    }),
    idempotent: true,
    run: async ({ summary, not_testable: excused = [] }, { runId }) => {
      const { deployment, plan } = readInput('verifier', await runs.inputOf(runId));
      const acceptance = plan?.acceptance ?? [];
      const evidence = await readEvidence(runs, runId);
      const reachable = deployment.url !== undefined;
      const missing = untested(acceptance, evidence).filter(
        ({ id, http }) => http !== undefined || !excused.some((each) => each.acceptance === id),
      );
      if (reachable && missing.length > 0) throw new ToolResolutionError(missingTests(missing));
      const judged = judgeEvidence(acceptance, evidence);
      const problems = [
        ...judged.problems,
        ...missing.map(({ id }) => `${id}: the deployment has no address, so it was not tested`),
      ];
      const verdict = problems.length === 0 ? 'pass' : 'fail';
      const notes = excused.map((each) => `Not tested: ${each.acceptance} (${each.reason})`);
      const verification: Verification = {
        ...judged,
        verdict,
        summary: [summary, ...notes].join('\n'),
        deploymentId: deployment.deploymentId,
        problems,
      };
      const reason = verdict === 'pass' ? undefined : problems.join('; ').slice(0, 2_000);
      await deploy.verify(deployment.deploymentId, verdict === 'pass', reason);
      return JSON.stringify(verification);
    },
  });
}

function find({ plan }: AgentInput<'verifier'>, id: string): Acceptance {
  const acceptance = plan?.acceptance ?? [];
  const found = acceptance.find((each) => each.id === id);
  if (found !== undefined) return found;
  const known = acceptance.map((each) => each.id).join(', ') || 'none';
  throw new ToolResolutionError(`The plan has no acceptance check "${id}". It has: ${known}.`);
}

function missingTests(missing: readonly Acceptance[]): string {
  const list = missing.map(({ id, http }) =>
    http === undefined
      ? `${id} (write a request, or name it in not_testable with the reason)`
      : `${id} (call smoke_test {"acceptance": "${id}"} without a request: the plan has one)`,
  );
  return `These acceptance checks were not tested: ${list.join('; ')}.`;
}
