import type { SQLInputValue } from 'node:sqlite';
import { ForgeError } from '@forge/core';
import { isEnded, type PreparedAppend } from '../append/prepare-append.ts';
import { noSuchRun } from '../no-such-run.ts';
import { noTotals } from '../projections/run-totals.ts';
import type { Append } from '../store.ts';
import type { Database } from './database.ts';
import type { RunOwner } from './owner-cache.ts';

interface LeasedRow {
  readonly agent: string;
  readonly root_id: string;
  readonly fence: number;
  readonly seq: number;
  readonly lease_owner: string | null;
}

const read = 'select agent, root_id, fence, seq, lease_owner from runs where id = ?';

/**
 * The run, if it is as the writer knew it. Nobody else writes until the transaction ends: what holds
 * now holds for all of the step.
 */
export function readLeased(database: Database, { runId, fence, expectedSeq }: Append): RunOwner {
  const run = database.get<LeasedRow>(read, runId);
  if (run === undefined) throw noSuchRun(runId);
  if (run.fence !== fence || run.lease_owner === null) throw leaseLost(runId);
  if (run.seq === expectedSeq) return { id: runId, agent: run.agent, rootId: run.root_id };
  throw new ForgeError(
    'seq_conflict',
    `Run "${runId}" is at event ${run.seq}, not ${expectedSeq}. Read its log again.`,
  );
}

export function leaseLost(runId: string): ForgeError {
  return new ForgeError(
    'lease_lost',
    `The lease of run "${runId}" is somebody else's by now, or was given back. Stop working on it.`,
  );
}

const always = 'seq = ?, updated_at = ?';
const progressed = ', strikes = 0, lease_wrote = 1';
const asKnown = `id = ? and fence = ? and seq = ? and lease_owner is not null
  and agent = ? and root_id = ?`;
const added = (column: string) =>
  `${column} = case when ? is null then ${column} else coalesce(${column}, 0) + ? end`;
const counted = `,
  turns = turns + ?,
  input_tokens = input_tokens + ?,
  output_tokens = output_tokens + ?,
  cost_nano = cost_nano + ?,
  ${['cached_input_tokens', 'cache_write_tokens', 'reasoning_tokens'].map(added).join(', ')}`;
const explained = ', reason = ?, explanation = ?';
const moved = ', state = ?, finished_at = ?';
const letGo = ', lease_owner = null, lease_until = null, wake_at = null, due_at = null';

/** A statement for each choice of these. */
const parts = [progressed, counted, explained, moved, letGo];
const statements = Array.from({ length: 1 << parts.length }, (_, choice) => {
  const chosen = parts.filter((_part, at) => (choice >> at) & 1);
  return `update runs set ${always}${chosen.join('')} where ${asKnown}`;
});

/**
 * Moves the row on, if it is as the writer and the cache know it; false if not. A run that ends lets
 * go of its lease. Only what a step changes: SQLite writes every index anew that has a column which is
 * set. Values go by place: names and `returning` would take twice the time.
 */
export function advanceRun(
  database: Database,
  { step, at, events, totals, progress }: PreparedAppend,
  { agent, rootId }: RunOwner,
): boolean {
  const { runId, fence, expectedSeq, state } = step;
  const ends = isEnded(state);
  let choice = (progress ? 1 : 0) + (ends ? 16 : 0);
  const values: SQLInputValue[] = [expectedSeq + events.length, at];
  if (totals !== noTotals) {
    choice += 2;
    const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = totals;
    values.push(totals.turns, totals.inputTokens, totals.outputTokens, totals.costNano);
    for (const count of [cachedInputTokens, cacheWriteTokens, reasoningTokens]) {
      values.push(count ?? null, count ?? null);
    }
  }
  if (totals.end !== undefined) {
    choice += 4;
    values.push(totals.end.reason, totals.end.explanation);
  }
  if (state !== undefined) {
    choice += 8;
    values.push(state, ends ? (step.endedAt ?? at) : null);
  }
  values.push(runId, fence, expectedSeq, agent, rootId);
  return database.run(statements[choice] ?? '', ...values) === 1;
}
