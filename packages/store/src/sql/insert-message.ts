import type { WriteTx } from '../engine.ts';
import { noSuchRun } from '../no-such-run.ts';
import type { NewMessage } from '../store.ts';
import { writeJson } from './json.ts';
import { reopenRun, touchRun, wakeRun } from './wake-run.ts';

/**
 * Puts a message into a run's inbox and wakes the run. False if that source was heard before: then
 * nothing is written and nobody is woken. `not_found` without the run.
 */
export async function insertMessage(
  tx: WriteTx,
  { runId, ...message }: NewMessage & { readonly runId: string },
): Promise<boolean> {
  const run = await tx.db
    .selectFrom('runs')
    .select('id')
    .where('id', '=', runId)
    .executeTakeFirst();
  if (run === undefined) throw noSuchRun(runId);
  if (!(await insertMessageRow(tx, { runId, ...message }))) return false;
  if (message.reopens === true) await reopenRun(tx, runId);
  await (message.wakes === false ? touchRun(tx, runId) : wakeRun(tx, runId));
  return true;
}

/** The row alone; the run is known to be there. False if that source was heard before. */
export async function insertMessageRow(
  { db, now }: WriteTx,
  message: NewMessage & { readonly runId: string },
): Promise<boolean> {
  const inserted = await db
    .insertInto('inbox')
    .values({
      run_id: message.runId,
      kind: message.kind,
      payload: writeJson(message.payload),
      source: message.source ?? null,
      wakes: (message.wakes ?? true) ? 1 : 0,
      at: now,
      read_at: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['run_id', 'source']).where('source', 'is not', null).doNothing(),
    )
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows !== 0n;
}

export { noSuchRun };
