import { ForgeError } from '@forge/core';
import type { WriteTx } from '../engine.ts';
import { noSuchRun } from '../no-such-run.ts';
import { addTotals, noTotals, runTotals } from '../projections/run-totals.ts';
import type { RunRow } from '../store.ts';
import { freshRun, insertRunRow } from './insert-run.ts';
import { readLabels } from './json.ts';
import { isBroken, walkEvents } from './read-events.ts';
import { readInt, readRun } from './readers.ts';
import { totalsColumns } from './totals-columns.ts';

/**
 * Copies a log up to an event into a new run. The copy is open and waits until something is sent to
 * it; timers, messages and approvals stay with the original, and the daily figures do not count the
 * copied work again.
 */
export async function forkRun(
  tx: WriteTx,
  {
    runId,
    upTo,
    id,
    title,
  }: {
    readonly runId: string;
    readonly upTo: number;
    readonly id: string;
    readonly title?: string;
  },
): Promise<RunRow> {
  const { db, now } = tx;
  const origin = await db.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirst();
  if (origin === undefined) throw noSuchRun(runId);
  if (!(Number.isInteger(upTo) && upTo >= 0 && upTo <= readInt(origin.seq))) {
    throw new ForgeError(
      'not_found',
      `Run "${runId}" has no event ${upTo}; its last is ${origin.seq}.`,
    );
  }
  let totals = noTotals;
  for await (const event of walkEvents(db, { runId, upTo })) {
    if (!isBroken(event)) totals = addTotals(totals, runTotals([event]));
  }
  const newTitle = title ?? origin.title;
  await insertRunRow(tx, {
    ...freshRun(
      {
        id,
        agent: origin.agent,
        ...(newTitle !== null && { title: newTitle }),
        tenant: origin.tenant,
        priority: readInt(origin.priority),
        labels: readLabels(origin.labels),
      },
      now,
    ),
    ...totalsColumns(totals),
    seq: upTo,
    forked_from: runId,
    forked_seq: upTo,
  });
  await db
    .insertInto('events')
    .columns(['run_id', 'seq', 'v', 'type', 'at', 'data', 'blob'])
    .expression((eb) =>
      eb
        .selectFrom('events')
        .select((col) => [col.val(id).as('run_id'), 'seq', 'v', 'type', 'at', 'data', 'blob'])
        .where('run_id', '=', runId)
        .where('seq', '<=', upTo)
        .orderBy('seq'),
    )
    .execute();
  return readRun(
    await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
}
