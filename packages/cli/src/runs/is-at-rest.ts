import type { Store } from '@forge/store';
import { familyRuns } from './family.ts';
import { isOver } from './run-state.ts';

/** Nobody works on anything of a family, and nobody will before somebody says so. */
export async function isAtRest(store: Store, rootId: string): Promise<boolean> {
  const runs = await familyRuns(store, rootId);
  return runs.every(
    (run) => isOver(run) || (run.state === 'paused' && run.leaseOwner === undefined),
  );
}

/** Everything of a family has ended. */
export async function isAllOver(store: Store, rootId: string): Promise<boolean> {
  return (await familyRuns(store, rootId)).every(isOver);
}
