import { isEnded, type PreparedAppend } from '../append/prepare-append.ts';
import {
  appendPlainly,
  appendStatement,
  appendWithin,
  blobColumns,
  dayColumns,
  eventColumns,
  readColumns,
  stepColumns,
  timerColumns,
} from './append-statement.ts';
import type { Receipt } from './receipts.ts';
import { toArrays } from './row-arrays.ts';

/** What the statement gives of a batch. */
export interface SteppedBatch {
  /** The runs whose steps were written; null for all of them. */
  readonly ids: readonly string[] | null;
}

/** What it gives of a step, as part of a transaction. */
export interface SteppedRun {
  readonly id: string;
  readonly agent: string;
  readonly root_id: string;
}

/**
 * The query for a batch: at most one step of each run. With a receipt it is a transaction of its
 * own, without one part of another.
 */
export function appendQuery(
  batch: readonly PreparedAppend[],
  { receipt, shard }: { readonly receipt?: Receipt; readonly shard: number },
) {
  const values = [
    receipt?.writer ?? '',
    receipt?.slot ?? 0,
    receipt?.n ?? 0,
    shard,
    ...toArrays(stepColumns, batch.map(stepRow)),
    ...toArrays(eventColumns, batch.flatMap(eventRows)),
    ...toArrays(dayColumns, batch.flatMap(dayRows)),
    ...toArrays(readColumns, batch.flatMap(readRows)),
  ];
  const blobs = batch.flatMap(blobRows);
  const timers = batch.flatMap(timerRows);
  if (receipt !== undefined && blobs.length + timers.length === 0) {
    return { name: 'forge_append_plainly', text: appendPlainly, values };
  }
  values.push(...toArrays(blobColumns, blobs), ...toArrays(timerColumns, timers));
  return receipt === undefined
    ? { name: 'forge_append_within', text: appendWithin, values }
    : { name: 'forge_append', text: appendStatement, values };
}

function stepRow({ step, at, events, totals, progress }: PreparedAppend) {
  const { state } = step;
  return {
    id: step.runId,
    fence: step.fence,
    seq: step.expectedSeq,
    count: events.length,
    at,
    turns: totals.turns,
    input: totals.inputTokens,
    output: totals.outputTokens,
    cached: totals.cachedInputTokens ?? null,
    cache_writes: totals.cacheWriteTokens ?? null,
    reasoning: totals.reasoningTokens ?? null,
    cost: totals.costNano,
    ends: totals.end !== undefined,
    reason: totals.end?.reason ?? null,
    explanation: totals.end?.explanation ?? null,
    progress: progress ? 1 : 0,
    state: state ?? null,
    finished_at: isEnded(state) ? (step.endedAt ?? at) : null,
  };
}

function eventRows({ step, events }: PreparedAppend) {
  return events.map(({ seq, type, data, blob }) => ({
    run_id: step.runId,
    seq,
    type,
    data: data ?? null,
    blob: blob?.hash ?? null,
  }));
}

function blobRows({ step, events }: PreparedAppend) {
  return events.flatMap(({ blob }) =>
    blob === undefined ? [] : [{ run_id: step.runId, hash: blob.hash, bytes: blob.bytes }],
  );
}

function readRows({ step }: PreparedAppend) {
  return [...new Set(step.consumes)].map((id) => ({ run_id: step.runId, id }));
}

function timerRows({ step }: PreparedAppend) {
  return Object.entries(step.timers ?? {}).map(([name, dueAt]) => ({
    run_id: step.runId,
    name,
    due_at: dueAt === null ? null : Math.trunc(dueAt),
  }));
}

function dayRows({ step, day, daily }: PreparedAppend) {
  return daily.map(({ model, totals }) => ({ run_id: step.runId, day, model, ...totals }));
}
