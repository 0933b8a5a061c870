import { ForgeError } from '@forge/core';
import type { Kysely } from 'kysely';
import type { WriteTx } from '../engine.ts';
import type { Tables } from '../schema/tables.ts';
import type { ApprovalRow, ApprovalState, NewApproval, Page } from '../store.ts';
import { writeJson, writeOptionalJson } from './json.ts';
import { pageSize, readPlace, toPage } from './pages.ts';
import { readApproval, readInt } from './readers.ts';

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly runId?: string;
  readonly rootId?: string;
}

/** A page of approvals, newest first. */
export async function listApprovals(
  db: Kysely<Tables>,
  {
    filter = {},
    limit,
    after,
  }: {
    readonly filter?: ApprovalFilter | undefined;
    readonly limit?: number | undefined;
    readonly after?: string | undefined;
  },
): Promise<Page<ApprovalRow>> {
  const size = pageSize(limit);
  const place = readPlace(after);
  let query = db.selectFrom('approvals').selectAll();
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.runId !== undefined) query = query.where('run_id', '=', filter.runId);
  if (filter.rootId !== undefined) query = query.where('root_id', '=', filter.rootId);
  if (place !== undefined) {
    query = query.where((eb) =>
      eb(eb.refTuple('requested_at', 'id'), '<', eb.tuple(place.at, place.id)),
    );
  }
  const rows = await query
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute();
  return toPage(rows, {
    size,
    read: readApproval,
    place: (row) => ({ at: readInt(row.requested_at), id: row.id }),
  });
}

export async function getApproval(
  db: Kysely<Tables>,
  id: string,
): Promise<ApprovalRow | undefined> {
  const row = await db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();
  return row && readApproval(row);
}

/** Asks for approvals, as part of a step of their run. */
export async function requestApprovals(
  { db }: Pick<WriteTx, 'db'>,
  {
    run,
    approvals,
    at,
  }: {
    readonly run: { readonly id: string; readonly rootId: string; readonly agent: string };
    readonly approvals: readonly NewApproval[];
    readonly at: number;
  },
): Promise<void> {
  for (const approval of approvals) {
    const inserted = await db
      .insertInto('approvals')
      .values({
        id: approval.id,
        run_id: run.id,
        root_id: run.rootId,
        agent: run.agent,
        call_id: approval.callId,
        tool: approval.tool,
        proposed: writeJson(approval.proposed),
        deciders: approval.deciders === undefined ? null : writeJson([...approval.deciders]),
        question: writeOptionalJson(approval.question),
        expires_at: approval.expiresAt === undefined ? null : Math.trunc(approval.expiresAt),
        state: 'pending',
        requested_at: at,
        decided_at: null,
        decided_by: null,
        via: null,
        approved: null,
        answer: null,
        reason: null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 0n) {
      throw new ForgeError(
        'invalid_options',
        `An approval "${approval.id}" was asked for before. Use an id of its own for each call.`,
      );
    }
  }
}

/** Takes back what nobody has to decide any more. What is decided stays. */
export async function withdrawApprovals(
  { db }: Pick<WriteTx, 'db'>,
  {
    runId,
    ids,
    at,
  }: { readonly runId: string; readonly ids: readonly string[]; readonly at: number },
): Promise<void> {
  await db
    .updateTable('approvals')
    .set({ state: 'withdrawn', decided_at: at })
    .where('id', 'in', [...ids])
    .where('run_id', '=', runId)
    .where('state', '=', 'pending')
    .execute();
}
