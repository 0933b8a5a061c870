import { ForgeError } from '@forge/core';
import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import { decider } from './decider.ts';
import { withWorkshop } from './with-workshop.ts';
import { workshopPlace } from './workshop-place.ts';

/** `forge deploy --stop`: ends what serves on a target. Nothing to end is no failure. */
export async function stopServing({
  context,
  json = false,
  repo,
  config,
  target: named,
}: {
  readonly context: CommandContext;
  readonly json?: boolean;
  readonly repo?: string;
  readonly config?: string;
  readonly target?: string;
}): Promise<void> {
  await withWorkshop(context, workshopPlace(context, { repo, config }), async (workshop) => {
    const { project, settings } = workshop;
    const target = named ?? settings.deploy.target;
    if (target === undefined) {
      throw new ForgeError(
        'invalid_options',
        'Which target? Write --target NAME, or deploy.target in forge.yaml.',
      );
    }
    const terminal = context.terminal();
    const ended = await (await workshop.deployer()).withdraw({
      project,
      target,
      config: settings.deploy.config,
      reason: `Stopped by ${decider().by}.`,
      signal: context.signal,
      tell: (line) => terminal.err(printable(line, 500)),
    });
    if (json) terminal.out(JSON.stringify({ stopped: ended?.id ?? null }));
    else if (ended === undefined) terminal.out(`Nothing of ${project} serves on ${target}.`);
    else terminal.out(`${ended.id} serves no more: commit ${ended.commit.slice(0, 12)}`);
  });
}
