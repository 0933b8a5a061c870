import { sql } from 'kysely';
import type { WriteTx } from '../engine.ts';
import { restoreApprovals } from './dead-approvals.ts';
import { readInt } from './readers.ts';

/**
 * Makes a run due now, unless it ended. A leased one stays with its worker: giving the lease back
 * looks for messages that were not read.
 */
export async function wakeRun({ db, now, wake }: WriteTx, runId: string): Promise<void> {
  await db
    .updateTable('runs')
    // The row is always touched, and so locked: else a release at the same time would neither see
    // the message nor wait for it, and nobody would ever be woken.
    .set((eb) => ({
      wake_at: eb
        .case()
        .when(eb.or([eb('wake_at', 'is', null), eb('wake_at', '>', now)]))
        .then(sql.val(now))
        .else(eb.ref('wake_at'))
        .end(),
      due_at: eb
        .case()
        .when(
          eb.and([
            eb('lease_owner', 'is', null),
            eb.or([eb('due_at', 'is', null), eb('due_at', '>', now)]),
          ]),
        )
        .then(sql.val(now))
        .else(eb.ref('due_at'))
        .end(),
    }))
    .where('id', '=', runId)
    .where('state', 'in', ['open', 'paused'])
    .execute();
  wake(runId);
}

/** A run that is paused, dead or over is open again: something came that has to be carried out. */
export async function reopenRun({ db, now }: WriteTx, runId: string): Promise<void> {
  // The row is held from here on: nobody gives the run up in between.
  const run = await db
    .updateTable('runs')
    .set({ strikes: 0, updated_at: now })
    .where('id', '=', runId)
    .where('state', 'in', ['paused', 'dead', 'completed', 'failed'])
    .returning(['state', 'finished_at'])
    .executeTakeFirst();
  if (run === undefined) return;
  if (run.state === 'dead' && run.finished_at !== null) {
    await restoreApprovals({ db }, { runId, diedAt: readInt(run.finished_at) });
  }
  await db
    .updateTable('runs')
    .set({ state: 'open', finished_at: null })
    .where('id', '=', runId)
    .execute();
}

/**
 * For a message that wakes nobody. The row is touched all the same: the step that ends a run must
 * notice what comes at the same time.
 */
export async function touchRun({ db }: WriteTx, runId: string): Promise<void> {
  await db
    .updateTable('runs')
    .set((eb) => ({ seq: eb.ref('seq') }))
    .where('id', '=', runId)
    .execute();
}
