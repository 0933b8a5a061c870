import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import type { CommandContext } from '../context.ts';
import { madeMarker } from './make-project.ts';
import { openProject } from './open-project.ts';
import { stopService } from './stop-service.ts';

/** Stops the service of a demo and removes its folder. Refuses any folder that the demo did not make. */
export async function cleanDemo(context: CommandContext, given: string): Promise<void> {
  const folder = resolve(context.cwd, given);
  if (!existsSync(join(folder, madeMarker))) {
    throw new ForgeError('not_allowed', `${folder} was not made by forge demo: it is left alone.`);
  }
  const workshop = await openProject(context, folder);
  try {
    await stopService(workshop);
  } finally {
    await workshop.close();
  }
  await rm(folder, { recursive: true, force: true });
  // The folder around it, where the demo made that too.
  const parent = dirname(folder);
  if (dirname(parent) === tmpdir() && basename(parent).startsWith('forge-demo-')) {
    await rm(parent, { recursive: true, force: true });
  }
  context.terminal().out(`removed ${folder}`);
}
