import { ForgeError } from '@forge/core';
import type { Kysely } from 'kysely';
import type { Engine, WriteTx } from '../engine.ts';
import { DailyLedger } from '../projections/daily-totals.ts';
import { addTotals, noTotals, runTotals } from '../projections/run-totals.ts';
import type { Tables } from '../schema/tables.ts';
import { addDaily, readTotals } from './daily.ts';
import { lastPrune } from './prune.ts';
import { eventColumns, isBroken, readEvent, walkEvents } from './read-events.ts';
import { readInt } from './readers.ts';
import { totalsColumns } from './totals-columns.ts';

const page = 500;
const attempts = 5;

/**
 * Makes the projections anew from the log, while others go on writing. A run is folded in a
 * transaction of its own. The days are added up outside of any, up to an event that nothing can slip
 * in front of; the last transaction adds what came since and puts the sums in place.
 */
export async function rebuild(
  engine: Engine,
  onProgress: (events: number) => void = () => {},
): Promise<void> {
  await rebuildRuns(engine);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (await rebuildDays(engine, onProgress)) return;
  }
  throw new ForgeError(
    'store_failed',
    'The daily figures could not be rebuilt because runs were pruned meanwhile. Try again when no prune is under way.',
  );
}

async function rebuildRuns(engine: Engine): Promise<void> {
  let last = '';
  for (;;) {
    const after = last;
    const ids = await engine.read((db) =>
      db
        .selectFrom('runs')
        .select('id')
        .where('id', '>', after)
        .orderBy('id')
        .limit(page)
        .execute(),
    );
    for (const { id } of ids) await engine.write((tx) => rebuildRun(tx, id));
    const end = ids.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

async function rebuildRun({ db }: WriteTx, id: string): Promise<void> {
  // An update that changes nothing holds the row where others could append meanwhile.
  const run = await db
    .updateTable('runs')
    .set((eb) => ({ seq: eb.ref('seq') }))
    .where('id', '=', id)
    .returning('seq')
    .executeTakeFirst();
  if (run === undefined) return;
  let totals = noTotals;
  for await (const event of walkEvents(db, { runId: id, upTo: readInt(run.seq) })) {
    if (!isBroken(event)) totals = addTotals(totals, runTotals([event]));
  }
  await db.updateTable('runs').set(totalsColumns(totals)).where('id', '=', id).execute();
}

/** False if runs were pruned meanwhile: then the sums hold what is counted elsewhere by now. */
async function rebuildDays(engine: Engine, onProgress: (events: number) => void): Promise<boolean> {
  const start = await engine.write(async (tx) => {
    await engine.settleEvents(tx);
    const last = await tx.db
      .selectFrom('events')
      .select((eb) => eb.fn.max('position').as('position'))
      .executeTakeFirst();
    return { position: readInt(last?.position ?? 0), lastPrune: await readLastPrune(tx.db) };
  });
  const ledger = new DailyLedger();
  let events = 0;
  let position = 0;
  while (position < start.position) {
    const from = position;
    const rows = await engine.read((db) => readPage(db, { after: from, upTo: start.position }));
    if (rows.length === 0) break;
    position = count(rows, ledger);
    events += rows.length;
    onProgress(events);
  }
  return engine.write(async (tx) => {
    await engine.settleEvents(tx);
    if ((await readLastPrune(tx.db)) !== start.lastPrune) return false;
    const all = new DailyLedger();
    for (const row of ledger.rows()) all.addRow(row);
    for (let tail = start.position; ; ) {
      const rows = await readPage(tx.db, { after: tail, upTo: Number.MAX_SAFE_INTEGER });
      if (rows.length === 0) break;
      tail = count(rows, all);
    }
    for (const base of await tx.db.selectFrom('daily_base').selectAll().execute()) {
      const { day, agent, model } = base;
      all.addRow({ day, agent, model, totals: readTotals(base) });
    }
    await tx.db.deleteFrom('daily_stats').execute();
    for (const row of all.rows()) await addDaily(tx, { table: 'daily_stats', ...row });
    return true;
  });
}

type Rows = Awaited<ReturnType<typeof readPage>>;

/** Adds a page up; gives the position of its last row. Copies in a fork are no work of it. */
function count(rows: Rows, ledger: DailyLedger): number {
  let position = 0;
  for (const row of rows) {
    position = readInt(row.position);
    if (row.agent === null || readInt(row.seq) <= readInt(row.forked_seq ?? 0)) continue;
    const event = readEvent(row);
    if (!isBroken(event)) ledger.add({ agent: row.agent, at: event.at, happening: event });
  }
  return position;
}

function readPage(
  db: Kysely<Tables>,
  { after, upTo }: { readonly after: number; readonly upTo: number },
) {
  return db
    .selectFrom('events')
    .leftJoin('blobs', 'blobs.hash', 'events.blob')
    .leftJoin('runs', 'runs.id', 'events.run_id')
    .select(eventColumns)
    .select(['events.position', 'runs.agent', 'runs.forked_seq'])
    .where('events.position', '>', after)
    .where('events.position', '<=', upTo)
    .orderBy('events.position')
    .limit(page)
    .execute();
}

async function readLastPrune(db: Kysely<Tables>): Promise<string | undefined> {
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', lastPrune)
    .executeTakeFirst();
  return row?.value;
}
