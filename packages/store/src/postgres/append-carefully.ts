import { ForgeError } from '@forge/core';
import type pg from 'pg';
import type { PreparedAppend } from '../append/prepare-append.ts';
import { unreadMessages } from '../append/unread-messages.ts';
import { requestApprovals, withdrawApprovals } from '../sql/approvals.ts';
import { insertMessage, noSuchRun } from '../sql/insert-message.ts';
import { insertRun } from '../sql/insert-run.ts';
import { readInt } from '../sql/readers.ts';
import type { Append, Store } from '../store.ts';
import { appendQuery, type SteppedRun } from './append-batch.ts';
import { leaseLost } from './leases.ts';
import { lockRuns } from './lock-runs.ts';
import type { PostgresTx } from './transactions.ts';

/** A step that is only its own run's business, as nearly all are. They share statements and commits. */
export function isPlain({ happenings, approvals, withdraws, children, sends }: Append): boolean {
  if (happenings.length === 0) return false; // Its receipt could not say which steps were written.
  return [approvals, withdraws, children, sends].every((list = []) => list.length === 0);
}

/** Any step, in a transaction of its own. */
export async function appendCarefully(
  tx: PostgresTx,
  { prepared, shard }: { readonly prepared: PreparedAppend; readonly shard: number },
): Promise<Awaited<ReturnType<Store['append']>>> {
  const { step, at, events } = prepared;
  const { approvals = [], withdraws = [], children = [], sends = [] } = step;
  await lockRuns(tx.client, [step.runId, ...sends.map(({ runId }) => runId)]);
  const { rows } = await tx.client.query<SteppedRun>(appendQuery([prepared], { shard }));
  const row = rows[0];
  if (row === undefined) throw await whyNot(tx.client, step);
  const run = { id: row.id, agent: row.agent, rootId: row.root_id };
  if (approvals.length > 0) await requestApprovals(tx, { run, approvals, at });
  if (withdraws.length > 0) await withdrawApprovals(tx, { runId: run.id, ids: withdraws, at });
  for (const child of children) await insertRun(tx, { parent: { runId: run.id }, ...child });
  for (const send of sends) await insertMessage(tx, send);
  return { seq: step.expectedSeq + events.length };
}

/** Why a step was not written, as its run is now. */
export async function whyNot(
  client: pg.ClientBase,
  { runId, fence, expectedSeq }: Append,
): Promise<ForgeError> {
  const text = 'select fence, seq, lease_owner from runs where id = $1';
  const { rows } = await client.query<{ fence: number; seq: number; lease_owner: string | null }>(
    text,
    [runId],
  );
  const row = rows[0];
  if (row === undefined) return noSuchRun(runId);
  if (readInt(row.fence) !== fence || row.lease_owner === null) return leaseLost(runId);
  if (readInt(row.seq) === expectedSeq) return unreadMessages(runId);
  return new ForgeError(
    'seq_conflict',
    `Run "${runId}" is at event ${row.seq}, not ${expectedSeq}. Read its log again.`,
  );
}
