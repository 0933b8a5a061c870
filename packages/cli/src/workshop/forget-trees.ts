import { ForgeError } from '@forge/core';
import { pruneRefs } from '@forge/pipeline';
import type { Store } from '@forge/store';

/** Milliseconds for which the trees of runs that have ended can be gone back to. */
export const treesKept = 30 * 86_400_000;

/**
 * Forgets the trees of runs that ended long ago, so that a repository does not fill with them. What
 * this store does not know may be another's, and is left alone.
 */
export async function forgetTrees(root: string, store: Store): Promise<void> {
  const before = (await store.now()) - treesKept;
  try {
    await pruneRefs(root, async (runId) => {
      const run = await store.run(runId);
      return run?.finishedAt === undefined || run.finishedAt >= before;
    });
  } catch (error) {
    // A folder that is no repository has none.
    if (!ForgeError.is(error, 'invalid_options')) throw error;
  }
}
