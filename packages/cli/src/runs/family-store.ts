import type { Lease, RunRow, Store } from '@forge/store';
import { familyRuns, runsBelow } from './family.ts';

/** The store for a worker that is to take up one run and everything below it, and nothing else. */
export function familyStore(store: Store, top: Pick<RunRow, 'id' | 'rootId'>): Store {
  return {
    ...store,
    claim: async (options) => {
      const leases: Lease[] = [];
      for (const run of runsBelow(await familyRuns(store, top.rootId), top.id)) {
        if (leases.length >= options.limit) break;
        if (run.state !== 'open' || run.wakeAt === undefined) continue;
        leases.push(...(await store.claim({ ...options, limit: 1, runId: run.id })));
      }
      return leases;
    },
  };
}
