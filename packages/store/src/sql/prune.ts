import type { Kysely } from 'kysely';
import type { WriteTx } from '../engine.ts';
import { DailyLedger } from '../projections/daily-totals.ts';
import type { Tables } from '../schema/tables.ts';
import { addDaily } from './daily.ts';
import { isBroken, walkEvents } from './read-events.ts';
import { readInt } from './readers.ts';

/** Says which prune was the last, so that a rebuild under way notices that the log became shorter. */
export const lastPrune = 'last prune';

/**
 * Ended runs that may go, oldest first: none whose family still works or did lately, for what is said
 * to one of them may make it speak to the others.
 */
export async function findPrunable(
  db: Kysely<Tables>,
  { endedBefore, limit }: { readonly endedBefore: number; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('finished_at', 'is not', null)
    .where('finished_at', '<', endedBefore)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs as kin')
            .select('kin.id')
            .whereRef('kin.root_id', '=', 'runs.root_id')
            .where((kin) =>
              kin.or([
                kin('kin.finished_at', 'is', null),
                kin('kin.finished_at', '>=', endedBefore),
              ]),
            ),
        ),
      ),
    )
    .orderBy('finished_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Removes one run with all that is its own. What it added to the daily figures stays, in
 * `daily_base`. False if it was opened again meanwhile.
 */
export async function pruneRun(
  tx: WriteTx,
  { runId, endedBefore }: { readonly runId: string; readonly endedBefore: number },
): Promise<boolean> {
  const { db } = tx;
  const run = await db
    .deleteFrom('runs')
    .where('id', '=', runId)
    .where('finished_at', 'is not', null)
    .where('finished_at', '<', endedBefore)
    .returning(['agent', 'forked_seq'])
    .executeTakeFirst();
  if (run === undefined) return false;

  const ledger = new DailyLedger();
  for await (const event of walkEvents(db, { runId, after: readInt(run.forked_seq) })) {
    if (!isBroken(event)) ledger.add({ agent: run.agent, at: event.at, happening: event });
  }
  for (const row of ledger.rows()) await addDaily(tx, { table: 'daily_base', ...row });
  await removeEvents(tx, runId);
  await db.deleteFrom('rules').where('scope', '=', 'run').where('scope_id', '=', runId).execute();
  const mark = { key: lastPrune, value: `${tx.now} ${runId}` };
  await db
    .insertInto('meta')
    .values(mark)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(mark))
    .execute();
  return true;
}

/** The events, and the payloads no other event uses and nobody put by name. */
async function removeEvents({ db }: WriteTx, runId: string): Promise<void> {
  const blobs = await db
    .selectFrom('events')
    .select('blob')
    .distinct()
    .where('run_id', '=', runId)
    .where('blob', 'is not', null)
    .execute();
  await db.deleteFrom('events').where('run_id', '=', runId).execute();
  for (const { blob } of blobs) {
    if (blob === null) continue;
    await db
      .deleteFrom('blobs')
      .where('hash', '=', blob)
      .where('kept', '=', 0)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('events').select('events.seq').where('events.blob', '=', blob))),
      )
      .execute();
  }
}
