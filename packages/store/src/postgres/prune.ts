import { sql } from 'kysely';
import type { Engine, WriteTx } from '../engine.ts';
import { forkRun } from '../sql/fork.ts';
import { findPrunable, pruneRun } from '../sql/prune.ts';
import type { RunRow, Store } from '../store.ts';

/**
 * A payload goes with the last event that uses it. Here writers work side by side, and a statement
 * does not see what is committed while it waits: whether an event uses a payload may only be asked
 * by a later statement than the one that takes hold of it. Whoever adds such an event holds the
 * payload too (`append-statement.ts`), or the run it is copied from.
 */
async function holdPayloads({ db }: WriteTx, runId: string): Promise<void> {
  await sql`select 1 from blobs
    where hash in (select blob from events where run_id = ${runId} and blob is not null)
    order by hash for update`.execute(db);
}

/** A transaction for each run, so that others get their turn in between. */
export async function pruneRuns(
  engine: Engine,
  { endedBefore, limit = 1_000 }: Parameters<Store['prune']>[0],
): Promise<number> {
  const ids = await engine.read((db) => findPrunable(db, { endedBefore, limit }));
  let pruned = 0;
  for (const runId of ids) {
    const gone = await engine.write(async (tx) => {
      await tx.db.selectFrom('runs').select('id').where('id', '=', runId).forUpdate().execute();
      await holdPayloads(tx, runId);
      return pruneRun(tx, { runId, endedBefore });
    });
    if (gone) pruned += 1;
  }
  return pruned;
}

/** Nobody prunes the run that is copied, until the copy is there. */
export async function forkSafely(
  tx: WriteTx,
  options: Parameters<Store['fork']>[0],
): Promise<RunRow> {
  await tx.db
    .selectFrom('runs')
    .select('id')
    .where('id', '=', options.runId)
    .forKeyShare()
    .execute();
  return forkRun(tx, options);
}
