import {
  type AgentContracts,
  agentContracts,
  type CheckedPipeline,
  checkPipeline,
  defaultPipeline,
} from '@forge/pipeline';
import type { Settings } from '../settings/settings-schema.ts';
import { loadPipeline } from './load-pipeline.ts';
import { topAgents } from './workshop.ts';

/** The pipeline of a project: its own, or the usual one. Throws everything that is wrong with it. */
export async function projectPipeline({
  settings,
  root,
  pluginAgents,
}: {
  readonly settings: Settings;
  readonly root: string;
  /** Their names. */
  readonly pluginAgents: readonly string[];
}): Promise<CheckedPipeline> {
  const { agents: own, deploy } = settings;
  const definition =
    settings.pipeline === undefined
      ? defaultPipeline({
          maxReviewRounds: own.reviewer?.max_review_rounds ?? 3,
          maxDeployAttempts: settings.max_deploy_attempts,
          parallel: settings.max_parallel_coders,
          deploys: deploy.target !== undefined,
        })
      : await loadPipeline(settings.pipeline, root);
  const contracts: Record<string, AgentContracts[string]> = { ...agentContracts() };
  for (const name of [...pluginAgents, ...Object.keys(own)]) {
    if (Object.hasOwn(contracts, name) || name === topAgents.agent) continue;
    contracts[name] = { input: own[name]?.input ?? true, output: own[name]?.output ?? true };
  }
  return checkPipeline(definition, contracts);
}
