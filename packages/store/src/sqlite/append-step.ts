import { ForgeError } from '@forge/core';
import { isEnded, type PreparedAppend } from '../append/prepare-append.ts';
import { noSuchRun } from '../no-such-run.ts';
import { dailyColumns } from '../projections/daily-totals.ts';
import { noTotals } from '../projections/run-totals.ts';
import { requestApprovals, withdrawApprovals } from '../sql/approvals.ts';
import { insertRun } from '../sql/insert-run.ts';
import type { Append } from '../store.ts';
import { sendMessage } from './send-message.ts';
import type { SqliteTx, Work } from './write-queue.ts';

type Written = { readonly seq: number };

/**
 * Writes one step. The common kind is a few prepared statements; one that asks for approvals or
 * starts children is rare, and uses what all makes share.
 */
export function appendWork(prepared: PreparedAppend): Work<Written> {
  const { step, size } = prepared;
  const { approvals = [], withdraws = [], children = [] } = step;
  if (approvals.length + withdraws.length + children.length === 0) {
    return {
      kind: 'quick',
      size,
      run: (tx) => {
        checkReceivers(tx, step);
        const { written } = appendStep(tx, prepared);
        for (const send of step.sends ?? []) sendMessage(tx, send);
        return written;
      },
    };
  }
  return {
    kind: 'careful',
    size,
    run: async (tx) => {
      const { written, run } = appendStep(tx, prepared);
      if (approvals.length > 0) await requestApprovals(tx, { run, approvals, at: prepared.at });
      if (withdraws.length > 0) {
        await withdrawApprovals(tx, { runId: run.id, ids: withdraws, at: prepared.at });
      }
      for (const child of children) await insertRun(tx, { parent: { runId: run.id }, ...child });
      for (const send of step.sends ?? []) sendMessage(tx, send);
      return written;
    },
  };
}

/** Before anything is written: whoever is spoken to is there. */
function checkReceivers({ database }: SqliteTx, { sends = [] }: Append): void {
  for (const { runId } of sends) {
    if (database.get('select 1 from runs where id = ?', runId) === undefined) {
      throw noSuchRun(runId);
    }
  }
}

const always = `
    seq = seq + :count,
    updated_at = :at,
    strikes = case when :progress then 0 else strikes end,
    lease_wrote = max(lease_wrote, :progress)`;
const counted = `,
    turns = turns + :turns,
    input_tokens = input_tokens + :inputTokens,
    output_tokens = output_tokens + :outputTokens,
    cached_input_tokens = case when :cached is null then cached_input_tokens else coalesce(cached_input_tokens, 0) + :cached end,
    cache_write_tokens = case when :cacheWrites is null then cache_write_tokens else coalesce(cache_write_tokens, 0) + :cacheWrites end,
    reasoning_tokens = case when :reasoning is null then reasoning_tokens else coalesce(reasoning_tokens, 0) + :reasoning end,
    cost_nano = cost_nano + :costNano,
    reason = case when :ends then :reason else reason end,
    explanation = case when :ends then :explanation else explanation end`;
const moved = `,
    state = :state,
    finished_at = :finishedAt`;

/** Only what a step changes: SQLite writes every index anew that has a column which is set. */
function advance({ counts, moves }: { readonly counts: boolean; readonly moves: boolean }): string {
  return `update runs set ${always}${counts ? counted : ''}${moves ? moved : ''}
    where id = :id and fence = :fence and seq = :expectedSeq and lease_owner is not null
    returning agent, root_id`;
}

const advances = {
  plain: advance({ counts: false, moves: false }),
  counting: advance({ counts: true, moves: false }),
  moving: advance({ counts: true, moves: true }),
};

/** The run's row first: if it is not as the writer knew it, nothing else is touched. */
function appendStep(tx: SqliteTx, prepared: PreparedAppend) {
  const { step, at, events, daily } = prepared;
  const { database } = tx;
  const { runId, expectedSeq } = step;
  const row = advanceRun(tx, prepared);
  if (row === undefined) throw whyNot(tx, step);
  const run = { id: runId, agent: row.agent, rootId: row.root_id };

  for (const { seq, type, data, blob } of events) {
    if (blob !== undefined) {
      database.run(
        'insert or ignore into blobs (hash, bytes, kept) values (?, ?, 0)',
        blob.hash,
        blob.bytes,
      );
    }
    database.run(
      'insert into events (run_id, seq, v, type, at, data, blob) values (?, ?, 1, ?, ?, ?, ?)',
      runId,
      seq,
      type,
      at,
      data ?? null,
      blob?.hash ?? null,
    );
  }
  for (const id of step.consumes ?? []) {
    database.run(
      'update inbox set read_at = ? where id = ? and run_id = ? and read_at is null',
      at,
      id,
      runId,
    );
  }
  setTimers(tx, step);
  if (daily !== undefined) {
    const sums = dailyColumns.map((column) => daily.totals[column]);
    database.run(addDay, daily.day, run.agent, ...sums);
  }
  return { written: { seq: expectedSeq + events.length }, run };
}

const addDay = `insert into daily_stats (day, agent, ${dailyColumns.join(', ')})
  values (?, ?, ${dailyColumns.map(() => '?').join(', ')})
  on conflict (day, agent) do update set
  ${dailyColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;

function advanceRun(
  { database }: SqliteTx,
  { step, at, events, totals, progress }: PreparedAppend,
) {
  const { runId, fence, expectedSeq, state } = step;
  const counts = totals !== noTotals;
  const values = {
    id: runId,
    fence,
    expectedSeq,
    at,
    count: events.length,
    progress: progress ? 1 : 0,
  };
  const totalled = {
    turns: totals.turns,
    inputTokens: totals.inputTokens,
    outputTokens: totals.outputTokens,
    cached: totals.cachedInputTokens ?? null,
    cacheWrites: totals.cacheWriteTokens ?? null,
    reasoning: totals.reasoningTokens ?? null,
    costNano: totals.costNano,
    ends: totals.end === undefined ? 0 : 1,
    reason: totals.end?.reason ?? null,
    explanation: totals.end?.explanation ?? null,
  };
  type Row = { agent: string; root_id: string };
  if (state !== undefined) {
    const finishedAt = isEnded(state) ? at : null;
    return database.getNamed<Row>(advances.moving, { ...values, ...totalled, state, finishedAt });
  }
  return counts
    ? database.getNamed<Row>(advances.counting, { ...values, ...totalled })
    : database.getNamed<Row>(advances.plain, values);
}

function setTimers({ database }: SqliteTx, { runId, timers = {} }: Append): void {
  for (const [name, dueAt] of Object.entries(timers)) {
    if (dueAt === null) {
      database.run('delete from timers where run_id = ? and name = ?', runId, name);
    } else {
      database.run(
        `insert into timers (run_id, name, due_at) values (?, ?, ?)
          on conflict (run_id, name) do update set due_at = excluded.due_at`,
        runId,
        name,
        Math.trunc(dueAt),
      );
    }
  }
}

function whyNot({ database }: SqliteTx, { runId, fence, expectedSeq }: Append): ForgeError {
  const row = database.get<{ fence: number; seq: number; lease_owner: string | null }>(
    'select fence, seq, lease_owner from runs where id = ?',
    runId,
  );
  if (row === undefined) return noSuchRun(runId);
  if (row.fence !== fence || row.lease_owner === null) return leaseLost(runId);
  return new ForgeError(
    'seq_conflict',
    `Run "${runId}" is at event ${row.seq}, not ${expectedSeq}. Read its log again.`,
  );
}

export function leaseLost(runId: string): ForgeError {
  return new ForgeError(
    'lease_lost',
    `The lease of run "${runId}" is somebody else's by now, or was given back. Stop working on it.`,
  );
}
