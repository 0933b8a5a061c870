import type { JsonObject } from '@forge/core';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../usage-error.ts';
import { drive } from './drive.ts';
import { withPassingStore } from './passing-store.ts';
import { readRequest } from './read-request.ts';
import { withWorkshop } from './with-workshop.ts';
import { workshopPlace } from './workshop-place.ts';

export interface RunPipelineOptions {
  readonly context: CommandContext;
  readonly verbose: boolean;
  readonly json?: boolean;
  readonly detach?: boolean;
  readonly durable?: boolean;
  readonly repo?: string;
  readonly config?: string;
  readonly model?: string;
  readonly base?: string;
  readonly dryRun?: boolean;
  readonly target?: string;
}

/** `forge run`, once its flags are read. */
export async function runPipeline(text: string, options: RunPipelineOptions): Promise<void> {
  const { context, detach = false } = options;
  const durable = options.durable !== false && context.config.variable('FORGE_NO_DURABLE') !== '1';
  if (!durable && detach) {
    throw new UsageError('What nothing is kept of cannot be left to others: leave --detach out.');
  }
  const request = await readRequest(text, { stdin: context.stdin, what: 'request' });
  if (durable) await runInStore(request, options, undefined);
  else await withPassingStore((store) => runInStore(request, options, store));
}

async function runInStore(
  request: string,
  { context, verbose, json = false, detach = false, ...options }: RunPipelineOptions,
  store: string | undefined,
): Promise<void> {
  const { repo, config, model, base, dryRun, target } = options;
  const place = workshopPlace(context, { repo, config });
  const flags: JsonObject = {
    ...(model !== undefined && { model }),
    ...(target !== undefined && { deploy: { target } }),
    ...(store !== undefined && { store }),
  };
  await withWorkshop(context, { flags, ...place }, async (workshop) => {
    const run = await workshop.launchPipeline(request, {
      ...(base !== undefined && { base }),
      ...(dryRun !== undefined && { dryRun }),
    });
    await drive(run, { workshop, context, json, verbose, detach, isKept: store === undefined });
  });
}
