import { type Agent, defineProgram, ForgeError, isJsonObject, type Judgement } from '@forge/core';
import { agentTool } from '@forge/runtime';
import { type CheckedPipeline, pipelineNodes } from '../definition/index.ts';
import { planPipeline } from '../plan/index.ts';
import { nodeAgent, projectAgent } from './agent-names.ts';

export interface PipelineAgentsOptions {
  readonly project: string;
  /** The name its runs go by, such as `pipeline`. */
  readonly name: string;
  readonly pipeline: CheckedPipeline;
  /** Those its nodes name. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Milliseconds for all of it. */
  readonly durationMs?: number;
}

/**
 * A pipeline as an agent that a worker can run, and the agents of its nodes under the names it calls
 * them by. Each call of a node is a run of its own.
 */
export function pipelineAgents(options: PipelineAgentsOptions): readonly Agent[] {
  const { project, name, pipeline, agents, durationMs } = options;
  const nodes = pipelineNodes(pipeline).map((node) => {
    const agent = agents.get(node.agent);
    if (agent === undefined) {
      const known = [...agents.keys()].join(', ');
      throw new ForgeError('not_found', `There is no agent "${node.agent}". Agents: ${known}.`);
    }
    const limit = node.timeLimitMs;
    // A node with a time of its own has an agent of its own, for the time is the agent's.
    const own = projectAgent(
      project,
      limit === undefined ? node.agent : nodeAgent(node.agent, node.id),
    );
    const limited = limit === undefined ? agent : withDuration(agent, limit);
    return { node, agent: { ...limited, name: own } };
  });
  const program = defineProgram({
    name: projectAgent(project, name),
    taskType: name,
    tools: nodes.map(({ node, agent }) =>
      agentTool({
        agent: agent.name,
        name: node.id,
        description: node.description,
        input: node.input,
      }),
    ),
    program: planPipeline(pipeline),
    judge,
    ...(durationMs !== undefined && { limits: { duration: durationMs } }),
  });
  // What began when its node had a time of its own goes on under that name when it has none any more.
  const timeless = nodes.flatMap(({ node, agent }) =>
    node.timeLimitMs === undefined
      ? [{ ...agent, name: projectAgent(project, nodeAgent(node.agent, node.id)) }]
      : [],
  );
  const all = [program, ...nodes.map(({ agent }) => agent), ...timeless];
  return [...new Map(all.map((agent) => [agent.name, agent])).values()];
}

function withDuration(agent: Agent, duration: number): Agent {
  const { guard } = agent;
  const least = Math.min(duration, guard.limits.duration);
  return { ...agent, guard: { ...guard, limits: { ...guard.limits, duration: least } } };
}

/** What was skipped on the way is no failure; what was asked for and not done would have ended it. */
function judge({ text }: { readonly text: string }): Judgement {
  const said: unknown = JSON.parse(text);
  const done = isJsonObject(said) && said.success === true;
  return { kind: 'run', verdict: done ? 'success' : 'partial' };
}
