import type { WriteTx } from '../engine.ts';

/**
 * Nobody can decide for a run that is given up. Who gave it up does so at the same moment: that is
 * how `restoreApprovals` knows them again.
 */
export async function withdrawAll(
  { db, now }: Pick<WriteTx, 'db' | 'now'>,
  runId: string,
): Promise<void> {
  await db
    .updateTable('approvals')
    .set({ state: 'withdrawn', decided_at: now })
    .where('run_id', '=', runId)
    .where('state', '=', 'pending')
    .execute();
}

/** A run that was given up goes on where it was: what it waited for can be decided again. */
export async function restoreApprovals(
  { db }: Pick<WriteTx, 'db'>,
  { runId, diedAt }: { readonly runId: string; readonly diedAt: number },
): Promise<void> {
  await db
    .updateTable('approvals')
    .set({ state: 'pending', decided_at: null })
    .where('run_id', '=', runId)
    .where('state', '=', 'withdrawn')
    .where('decided_at', '=', diedAt)
    .execute();
}
