import { ForgeError } from '@forge/core';
import type { CommandContext } from '../context.ts';
import { workOnRun } from '../runs/work-on-run.ts';
import type { Workshop } from '../workshop/workshop.ts';
import type { DemoOptions } from './demo-options.ts';
import type { DemoProject } from './make-project.ts';
import { reporterFor } from './reporter-for.ts';

/** The version that answers before the request. */
export interface First {
  readonly url: string;
  readonly deploymentId: string;
  readonly commit: string;
}

/** Deploys the first version; undefined if somebody interrupted it. */
export async function deployFirst(
  workshop: Workshop,
  context: CommandContext,
  options: DemoOptions,
  project: DemoProject,
): Promise<First | undefined> {
  const run = await workshop.launchDeploy({ commit: project.commit });
  const reporter = reporterFor(context, options, run);
  const { view, left } = await workOnRun({ workshop, context, run, reporter });
  if (left !== 'ended') return undefined;
  if (view.run.state !== 'completed') {
    throw new ForgeError(
      'deploy_failed',
      `The first version could not be deployed: ${view.run.explanation ?? view.run.state}. See what happened: cd ${project.folder} && forge logs ${run.id}`,
    );
  }
  const live = await workshop.store.deployments.live(workshop.project, 'process');
  if (live?.url === undefined) {
    throw new ForgeError('deploy_failed', 'The first version is deployed but has no address.');
  }
  return { url: live.url, deploymentId: live.id, commit: live.commit };
}
