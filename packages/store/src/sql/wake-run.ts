import { sql } from 'kysely';
import type { WriteTx } from '../engine.ts';

/**
 * Makes a run due now, unless it ended. A leased one stays with its worker: giving the lease back
 * looks for messages that were not read.
 */
export async function wakeRun({ db, now, wake }: WriteTx, runId: string): Promise<void> {
  await db
    .updateTable('runs')
    .set((eb) => ({
      wake_at: now,
      due_at: eb
        .case()
        .when('lease_owner', 'is', null)
        .then(sql.val(now))
        .else(eb.ref('due_at'))
        .end(),
    }))
    .where('id', '=', runId)
    .where('state', 'in', ['open', 'paused'])
    .where((eb) => eb.or([eb('wake_at', 'is', null), eb('wake_at', '>', now)]))
    .execute();
  wake(runId);
}

/** A run that is paused, dead or over is open again: something came that has to be carried out. */
export async function reopenRun({ db, now }: WriteTx, runId: string): Promise<void> {
  await db
    .updateTable('runs')
    .set({ state: 'open', strikes: 0, finished_at: null, updated_at: now })
    .where('id', '=', runId)
    .where('state', 'in', ['paused', 'dead', 'completed', 'failed'])
    .execute();
}
