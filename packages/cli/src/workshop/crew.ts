import type { Agent } from '@forge/core';
import {
  type CheckedPipeline,
  createAgents,
  createDeployPort,
  createRunPort,
  eventsIn,
  folderFiles,
  type Profile,
  pipelineAgents,
  projectAgent,
  releaseProgram,
  type Workspaces,
} from '@forge/pipeline';
import type { Store } from '@forge/store';
import type { Deployer } from '@forge/targets';
import type { McpHub } from '@forge/tools/mcp';
import type { Plugins } from '@forge/tools/plugins';
import type { Settings } from '../settings/settings-schema.ts';
import { projectPipeline } from './project-pipeline.ts';
import { projectPolicy } from './project-policy.ts';
import { sandboxOptions } from './sandbox-settings.ts';
import { topAgents } from './workshop.ts';

export interface CrewOptions {
  readonly settings: Settings;
  readonly root: string;
  readonly project: string;
  readonly store: Store;
  readonly workspaces: Workspaces;
  readonly deployer: Deployer;
  readonly plugins: Plugins;
  /** Of the coding agent. */
  readonly profile: Profile | undefined;
  readonly hub?: McpHub | undefined;
}

/** Who works on this project's runs, and the pipeline they work in. */
export interface Crew {
  readonly pipeline: CheckedPipeline;
  readonly agents: readonly Agent[];
}

const usualSeconds = 600;

/** Puts the agents of a project together: those of Forge, of `forge.yaml` and of plugins. */
export async function createCrew(options: CrewOptions): Promise<Crew> {
  const { settings, root, project, store, workspaces, deployer, plugins, profile, hub } = options;
  const { deploy, runtime, sandbox, agents: own } = settings;
  const { target = '(none)', config } = deploy;
  const port = createDeployPort(deployer, { project, target, config });
  const { image } = sandboxOptions(sandbox);
  const made = await createAgents({
    workspace: workspaces,
    deploy: port,
    runs: createRunPort(eventsIn(store)),
    sandbox: {
      backend: sandbox.backend === 'auto' ? 'docker or bubblewrap' : sandbox.backend,
      ...(image !== undefined && { image }),
      network: sandbox.network,
      commandSeconds: sandbox.command_timeout_s ?? usualSeconds,
    },
    project: folderFiles(root),
    settings: own,
    ...(settings.checks.length > 0 && { checks: settings.checks }),
    limits: {
      ...(runtime.max_agent_tokens !== undefined && { tokens: runtime.max_agent_tokens }),
      ...(runtime.max_cost_usd !== undefined && { cost: runtime.max_cost_usd }),
    },
    ...(profile !== undefined && { profile }),
    prompts: Object.assign({}, ...plugins.loaded.map((plugin) => plugin.prompts)),
    tools: [...plugins.loaded.flatMap((plugin) => plugin.tools), ...(hub?.tools() ?? [])],
    policy: projectPolicy(settings),
    deployApproval: deploy.approval,
  });
  const { codingAgent, customAgent, ...five } = made;
  const byName = new Map<string, Agent>(Object.entries(five));
  for (const plugin of plugins.loaded) {
    for (const agent of plugin.agents) byName.set(agent.name, agent);
  }
  for (const [name, about] of Object.entries(own)) {
    if (byName.has(name) || name === topAgents.agent) continue;
    byName.set(name, await customAgent(name, about));
  }
  const pluginAgents = plugins.loaded.flatMap((plugin) => plugin.agents.map(({ name }) => name));
  const pipeline = await projectPipeline({ settings, root, pluginAgents });
  const named = (agent: Agent, name = agent.name) => ({
    ...agent,
    name: projectAgent(project, name),
  });
  const all = [
    ...pipelineAgents({
      project,
      name: topAgents.pipeline,
      pipeline,
      agents: byName,
      ...(runtime.max_pipeline_duration_ms !== undefined && {
        durationMs: runtime.max_pipeline_duration_ms,
      }),
    }),
    ...[...byName.values()].map((agent) => named(agent)),
    named(codingAgent, topAgents.agent),
    releaseProgram({
      name: projectAgent(project, topAgents.deploy),
      deploy: port,
      approval: deploy.approval,
    }),
  ];
  return { pipeline, agents: [...new Map(all.map((agent) => [agent.name, agent])).values()] };
}
