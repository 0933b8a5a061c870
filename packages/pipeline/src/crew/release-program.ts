import { type Agent, defineProgram, defineTool, ForgeError, type Judgement } from '@forge/core';
import * as z from 'zod';
import { deploymentId } from '../agents/deployer/deploy-tools.ts';
import type { DeployPort } from '../agents/ports.ts';
import { codeSchema } from '../contracts.ts';

const { commit } = codeSchema.shape;
const deployed = z.object({ deploymentId: z.string(), url: z.string().optional() });
const halfAnHour = 1_800_000;

/**
 * A deployment without a model: deploy, look at its health, go back if it is not well. Its input is
 * `{ "commit": … }`. What it went back from fails, though something serves.
 */
export function releaseProgram({
  name,
  deploy,
  approval = false,
}: {
  readonly name: string;
  readonly deploy: DeployPort;
  readonly approval?: boolean;
}): Agent {
  const tools = [
    defineTool({
      name: 'deploy',
      description: `Deploys a commit to ${deploy.target}.`,
      input: z.object({ commit }),
      approval,
      idempotent: true,
      timeout: halfAnHour,
      run: async (args, { runId, idempotencyKey, signal }) => {
        const problems = await deploy.check({ commit: args.commit, runId, signal });
        if (problems.length > 0) {
          const list = problems.map(({ problem, fix }) => `${problem} ${fix}`);
          throw new ForgeError('deploy_failed', list.join('\n'));
        }
        const id = deploymentId(idempotencyKey);
        const row = await deploy.deploy({ id, commit: args.commit, runId, signal, tell: () => {} });
        return JSON.stringify({ deploymentId: row.id, ...row });
      },
    }),
    defineTool({
      name: 'verify',
      description: 'Looks at the health of what was deployed.',
      input: deployed,
      idempotent: true,
      timeout: halfAnHour,
      run: async (args, { signal }) => {
        const { healthy, report } = await deploy.health(signal);
        await deploy.verify(args.deploymentId, healthy, healthy ? undefined : report);
        if (!healthy) throw new ForgeError('deploy_failed', report);
        return report;
      },
    }),
    defineTool({
      name: 'rollback',
      description: 'Goes back to the version before.',
      input: z.object({ from: z.string(), reason: z.string() }),
      idempotent: true,
      timeout: halfAnHour,
      run: async (order, { signal }) => {
        const how = { ...order, signal, tell: () => {} };
        try {
          return `${(await deploy.rollback(how)).to} serves again.`;
        } catch (error) {
          if (!ForgeError.is(error, 'nothing_to_roll_back')) throw error;
          await deploy.withdraw({ ...how, id: order.from });
          return 'There is none to go back to, so nothing serves.';
        }
      },
    }),
  ];
  return defineProgram({
    name,
    taskType: 'deploy',
    tools,
    judge: (): Judgement => ({ kind: 'deploy', verdict: 'success' }),
    program: ({ input: [first = ''], calls: [made, verified, back] }) => {
      const call = (tool: string, args: Record<string, string>) =>
        ({ type: 'call', calls: [{ id: tool, name: tool, args }] }) as const;
      if (made === undefined) {
        const wanted = commitIn(first);
        return wanted === undefined
          ? { type: 'fail', explanation: 'A release takes {"commit": …}, the whole hash of one.' }
          : call('deploy', { commit: wanted });
      }
      if (made.status === 'failed') return { type: 'fail', explanation: made.text };
      if (made.status === 'open') return { type: 'call', calls: [] };
      const { deploymentId: from } = deployed.parse(JSON.parse(made.text));
      if (verified === undefined) return call('verify', { deploymentId: from });
      if (verified.status === 'ok') return { type: 'finish', output: made.text };
      if (verified.status === 'open') return { type: 'call', calls: [] };
      if (back === undefined) return call('rollback', { from, reason: verified.text });
      if (back.status === 'open') return { type: 'call', calls: [] };
      const after = back.status === 'ok' ? back.text : `Going back failed too: ${back.text}`;
      return { type: 'fail', explanation: `${from} is not well: ${verified.text} ${after}` };
    },
  });
}

function commitIn(input: string): string | undefined {
  try {
    return z.object({ commit }).parse(JSON.parse(input)).commit;
  } catch {
    return undefined;
  }
}
