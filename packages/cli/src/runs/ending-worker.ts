import { ForgeError } from '@forge/core';
import { createWorker, type Worker } from '@forge/runtime';
import type { RunRow } from '@forge/store';
import type { Workshop } from '../workshop/workshop.ts';
import { familyStore } from './family-store.ts';

/**
 * A worker that reads what was sent to a run and to those below it, where nobody else does. For runs
 * that are over or have been told to end: it asks no model, so that nothing goes on by it.
 */
export async function startEndingWorker(
  { store, agents }: Pick<Workshop, 'store' | 'agents'>,
  run: Pick<RunRow, 'id' | 'rootId'>,
): Promise<Worker> {
  return createWorker({
    store: familyStore(store, run),
    agents: await agents(),
    model: () => {
      throw new ForgeError('cancelled', 'This only reads messages.');
    },
  });
}
