import type { Kysely } from 'kysely';
import type { WriteTx } from '../engine.ts';
import { noSuchRun } from '../no-such-run.ts';
import type { Tables } from '../schema/tables.ts';
import { readInt } from './readers.ts';

export interface Snapshot {
  readonly runId: string;
  readonly seq: number;
  /** Of the code that made it: another one cannot read it. */
  readonly version: string;
  readonly state: string;
}

/** Keeps the latest of each version; an older one that comes late changes nothing. */
export async function saveSnapshot({ db }: WriteTx, snapshot: Snapshot): Promise<void> {
  const run = await db
    .selectFrom('runs')
    .select('id')
    .where('id', '=', snapshot.runId)
    .executeTakeFirst();
  if (run === undefined) throw noSuchRun(snapshot.runId);
  await db
    .insertInto('snapshots')
    .values({
      run_id: snapshot.runId,
      version: snapshot.version,
      seq: snapshot.seq,
      state: snapshot.state,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'version'])
        .doUpdateSet({ seq: snapshot.seq, state: snapshot.state })
        .where('snapshots.seq', '<=', snapshot.seq),
    )
    .execute();
}

export async function getSnapshot(
  db: Kysely<Tables>,
  { runId, version }: Pick<Snapshot, 'runId' | 'version'>,
): Promise<{ readonly seq: number; readonly state: string } | undefined> {
  const row = await db
    .selectFrom('snapshots')
    .select(['seq', 'state'])
    .where('run_id', '=', runId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row && { seq: readInt(row.seq), state: row.state };
}
