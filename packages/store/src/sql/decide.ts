import { ForgeError, type JsonObject } from '@forge/core';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { WriteTx } from '../engine.ts';
import type { Tables } from '../schema/tables.ts';
import type { ApprovalRow, Decision } from '../store.ts';
import { insertMessage } from './insert-message.ts';
import { writeOptionalJson } from './json.ts';
import { readApproval } from './readers.ts';

/** So many at once are a list somebody looked at; more are a mistake. */
const mostDecisions = 500;

/**
 * Decides all of these or none. Each is checked, then changed only while it is still pending, in the
 * order of ids so that two callers cannot wait for each other.
 */
export async function decideApprovals(
  tx: WriteTx,
  { decisions, at }: { readonly decisions: readonly Decision[]; readonly at: number },
): Promise<readonly ApprovalRow[]> {
  if (decisions.length === 0) return [];
  if (decisions.length > mostDecisions) {
    throw new ForgeError(
      'invalid_options',
      `decide takes up to ${mostDecisions} decisions at once.`,
    );
  }
  const before = await readApprovals(
    tx.db,
    decisions.map(({ id }) => id),
  );
  const seen = new Set<string>();
  for (const decision of decisions) {
    if (seen.has(decision.id)) throw decidedAlready(decision.id, 'twice in this list');
    seen.add(decision.id);
    checkDecision(before.get(decision.id), decision, at);
  }
  const ordered = [...decisions].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const decision of ordered) await writeDecision(tx, decision, at);

  const after = await readApprovals(
    tx.db,
    decisions.map(({ id }) => id),
  );
  const rows = decisions.flatMap(({ id }) => after.get(id) ?? []);
  for (const row of [...rows].sort((a, b) => (a.runId < b.runId ? -1 : 1))) await tellRun(tx, row);
  return rows;
}

/** Expires what is due, up to so many at a time, and tells their runs. */
export async function expireApprovals(tx: WriteTx, now: number): Promise<readonly ApprovalRow[]> {
  const due = await tx.db
    .selectFrom('approvals')
    .select('id')
    .where(sql<SqlBool>`state = 'pending'`)
    .where('expires_at', 'is not', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(mostDecisions)
    .execute();
  const expired: string[] = [];
  for (const { id } of due.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const changed = await tx.db
      .updateTable('approvals')
      .set({ state: 'expired', decided_at: now })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    if (changed.numUpdatedRows === 1n) expired.push(id);
  }
  if (expired.length === 0) return [];
  const rows = [...(await readApprovals(tx.db, expired)).values()];
  for (const row of rows.sort((a, b) => (a.runId < b.runId ? -1 : 1))) {
    await insertMessage(tx, {
      runId: row.runId,
      kind: 'approval_expired',
      source: `approval:${row.id}`,
      payload: { id: row.id, callId: row.callId, at: now },
    });
  }
  return rows;
}

function checkDecision(row: ApprovalRow | undefined, { id, by }: Decision, at: number): void {
  if (row === undefined) throw new ForgeError('not_found', `There is no approval "${id}".`);
  if (row.state === 'expired' || (row.state === 'pending' && isPast(row.expiresAt, at))) {
    throw new ForgeError(
      'expired',
      `Approval "${id}" expired. Ask the run to propose the call again.`,
    );
  }
  if (row.state === 'withdrawn') {
    throw decidedAlready(id, 'withdrawn: the run does not need it any more');
  }
  if (row.state !== 'pending') {
    throw decidedAlready(id, `${row.state} by ${row.decidedBy ?? 'somebody'}`);
  }
  if (row.deciders !== undefined && !row.deciders.includes(by)) {
    throw new ForgeError(
      'not_allowed',
      `"${by}" may not decide on approval "${id}". Allowed: ${row.deciders.join(', ')}.`,
    );
  }
}

function isPast(time: number | undefined, now: number): boolean {
  return time !== undefined && time <= now;
}

async function writeDecision({ db }: WriteTx, decision: Decision, at: number): Promise<void> {
  const changed = await db
    .updateTable('approvals')
    .set({
      state: decision.approved ? 'approved' : 'denied',
      decided_at: at,
      decided_by: decision.by,
      via: decision.via ?? null,
      approved: writeOptionalJson(decision.args),
      answer: writeOptionalJson(decision.answer),
      reason: decision.reason ?? null,
    })
    .where('id', '=', decision.id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  if (changed.numUpdatedRows !== 1n) throw decidedAlready(decision.id, 'somebody was faster');
}

async function tellRun(tx: WriteTx, row: ApprovalRow): Promise<void> {
  const payload: JsonObject = {
    id: row.id,
    callId: row.callId,
    approved: row.state === 'approved',
    at: row.decidedAt ?? tx.now,
    by: row.decidedBy ?? '',
    ...(row.via !== undefined && { via: row.via }),
    ...(row.approved !== undefined && { args: row.approved }),
    ...(row.answer !== undefined && { answer: row.answer }),
    ...(row.reason !== undefined && { reason: row.reason }),
  };
  await insertMessage(tx, {
    runId: row.runId,
    kind: 'approval',
    source: `approval:${row.id}`,
    payload,
  });
}

async function readApprovals(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApprovalRow>> {
  const rows = await db
    .selectFrom('approvals')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, readApproval(row)]));
}

function decidedAlready(id: string, how: string): ForgeError {
  return new ForgeError('already_decided', `Approval "${id}" is decided already: ${how}.`);
}
