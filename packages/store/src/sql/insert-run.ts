import { ForgeError } from '@forge/core';
import type { Insertable } from 'kysely';
import { asText } from '../as-text.ts';
import type { WriteTx } from '../engine.ts';
import { noSuchRun } from '../no-such-run.ts';
import type { RunsTable } from '../schema/tables.ts';
import type { NewRun } from '../store.ts';
import { insertMessageRow } from './insert-message.ts';
import { readLabels, writeJson } from './json.ts';

/** Makes a run with its first messages. `run_exists` if the id is taken, `not_found` without its parent. */
export async function insertRun(tx: WriteTx, run: NewRun): Promise<void> {
  const { now } = tx;
  const parent = run.parent && (await readRoot(tx, run.parent.runId));
  const wakeAt = run.wakeAt === undefined ? now : Math.trunc(run.wakeAt);
  await insertRunRow(tx, {
    ...freshRun(run, now),
    parent_id: run.parent?.runId ?? null,
    parent_call_id: run.parent?.callId ?? null,
    root_id: parent?.root_id ?? run.id,
    wake_at: wakeAt,
    due_at: wakeAt,
  });
  // They wait for the time the run begins: none of them brings it forward.
  for (const message of run.inbox ?? []) await insertMessageRow(tx, { ...message, runId: run.id });
  if (wakeAt <= now) tx.wake(run.id);
}

async function readRoot({ db }: WriteTx, runId: string): Promise<{ root_id: string }> {
  const row = await db
    .selectFrom('runs')
    .select('root_id')
    .where('id', '=', runId)
    .executeTakeFirst();
  if (row === undefined) throw noSuchRun(runId);
  return row;
}

/** The row of a run before anything has happened to it. */
export function freshRun(run: NewRun, now: number): Omit<RunsTable, 'top'> {
  return {
    id: run.id,
    agent: run.agent,
    title: run.title === undefined ? null : asText(run.title),
    tenant: run.tenant ?? '',
    priority: Math.trunc(run.priority ?? 0),
    parent_id: null,
    parent_call_id: null,
    root_id: run.id,
    labels: writeJson(run.labels ?? {}),
    state: 'open',
    seq: 0,
    fence: 0,
    lease_owner: null,
    lease_until: null,
    wake_at: null,
    due_at: null,
    strikes: 0,
    lease_wrote: 0,
    turns: 0,
    input_tokens: 0,
    output_tokens: 0,
    cached_input_tokens: null,
    cache_write_tokens: null,
    reasoning_tokens: null,
    cost_nano: 0,
    reason: null,
    explanation: null,
    dead_reason: null,
    dead_explanation: null,
    created_at: now,
    updated_at: now,
    finished_at: null,
    forked_from: null,
    forked_seq: 0,
  };
}

/** Inserts the row and its labels. */
export async function insertRunRow({ db }: WriteTx, row: Insertable<RunsTable>): Promise<void> {
  if (row.id === '' || row.agent === '') {
    throw new ForgeError('invalid_options', 'A run needs an id and an agent.');
  }
  const inserted = await db
    .insertInto('runs')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) {
    throw new ForgeError('run_exists', `There is a run "${row.id}" already. Use another id.`);
  }
  const labels = Object.entries(readLabels(row.labels));
  if (labels.length === 0) return;
  const { id: run_id, created_at } = row;
  const top = (row.parent_id ?? null) === null ? 1 : 0;
  await db
    .insertInto('run_labels')
    .values(labels.map(([name, value]) => ({ run_id, name, value, top, created_at })))
    .execute();
}
