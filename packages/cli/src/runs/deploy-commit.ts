import { isJsonObject, type JsonObject } from '@forge/core';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { drive } from './drive.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { findText, outputOf } from './pipeline-result.ts';
import { withWorkshop } from './with-workshop.ts';
import type { Worked } from './work-on-run.ts';
import { workshopPlace } from './workshop-place.ts';

/** `forge deploy`, once its flags are read. */
export async function deployCommit({
  context,
  verbose,
  json = false,
  detach = false,
  repo,
  config,
  ...launch
}: {
  readonly context: CommandContext;
  readonly verbose: boolean;
  readonly json?: boolean;
  readonly detach?: boolean;
  readonly repo?: string;
  readonly config?: string;
  readonly target?: string;
  readonly commit?: string;
}): Promise<void> {
  const { target } = launch;
  const flags: JsonObject = target === undefined ? {} : { deploy: { target } };
  const place = workshopPlace(context, { repo, config });
  await withWorkshop(context, { flags, ...place }, async (workshop) => {
    const run = await workshop.launchDeploy(launch);
    await drive(run, { workshop, context, json, verbose, detach, code: codeOf });
  });
}

/** A deployment that was not verified is no success, however its run ended. */
function codeOf({ view, left }: Worked): number {
  const output = outputOf(view);
  const isBad = isJsonObject(output) && findText(output, 'verdict') === 'fail';
  return left === 'ended' && isBad ? exitCodes.failed : exitCodeOf(view.run, left);
}
