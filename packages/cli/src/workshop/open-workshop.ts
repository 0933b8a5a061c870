import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { createRedactor, ForgeError, messageOf } from '@forge/core';
import { createApprovals, createRuntime } from '@forge/runtime';
import { openStore } from '@forge/store';
import type { WorkshopOptions } from '../context.ts';
import { placedFlags } from '../settings/placed-paths.ts';
import { readSettings } from '../settings/read-settings.ts';
import { knownKeys } from './known-keys.ts';
import { storeFile } from './store-file.ts';
import type { Works } from './works.ts';
import type { Workshop } from './workshop.ts';

/**
 * Puts together what commands about runs need. Whoever only looks gets the store and no more: agents,
 * sandboxes, targets and models are loaded when somebody wants to work.
 */
export async function openWorkshop(options: WorkshopOptions): Promise<Workshop> {
  const { context, file, repo } = options;
  const { config } = context;
  // Paths on a command line begin where it was written, also when its run is taken up elsewhere.
  const flags = placedFlags(options.flags, context);
  const cwd = repo ?? context.cwd;
  const read = readSettings({ cwd, config, flags, ...(file !== undefined && { file }) });
  const { settings, root } = read;
  for (const notice of read.notices) context.terminal().err(notice);
  const project = settings.name ?? (basename(root) || 'project');
  const address = settings.store ?? config.store;
  await makeFolder(address);
  const redact = createRedactor({ values: knownKeys(config) });
  const store = await openStore(address, { redact });
  const runtime = createRuntime({ store });
  let works: Promise<Works> | undefined;
  const working = () => {
    works ??= import('./works.ts').then(({ createWorks }) =>
      createWorks({ context, settings, root, project, store, runtime, address, flags, file }),
    );
    return works;
  };
  return {
    settings,
    root,
    project,
    store,
    storeAddress: address,
    runtime,
    approvals: async () => createApprovals({ store, agents: await (await working()).agents() }),
    deployer: async () => (await working()).deployer,
    pipeline: async () => (await working()).pipeline(),
    agents: async () => (await working()).agents(),
    launchPipeline: async (request, how) => (await working()).launchPipeline(request, how),
    launchAgent: async (task, how) => (await working()).launchAgent(task, how),
    launchReview: async (what) => (await working()).launchReview(what),
    launchDeploy: async (what) => (await working()).launchDeploy(what),
    startWorker: async (how) => (await working()).startWorker(how),
    async close() {
      await (await works)?.close();
      await store.close();
    },
  };
}

/** Of a store in a file. */
async function makeFolder(address: string): Promise<void> {
  const file = storeFile(address);
  if (file === undefined) return;
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new ForgeError(
      'invalid_options',
      `The folder of the store, ${folder}, cannot be made: ${messageOf(cause)}. Set store (or FORGE_STORE) to a file in a folder of yours.`,
      { cause },
    );
  }
}
