import { ForgeError } from '@forge/core';
import type { Selectable } from 'kysely';
import type { DeploymentRow, DeploymentState } from '../deployments/deployment-store.ts';
import { fromNanos } from '../projections/counts.ts';
import type {
  ApprovalsTable,
  DailyTable,
  DeploymentsTable,
  FiringsTable,
  InboxTable,
  RulesTable,
  RunsTable,
  SchedulesTable,
} from '../schema/tables.ts';
import type {
  ApprovalRow,
  ApprovalRule,
  ApprovalState,
  DailyStats,
  InboxMessage,
  RunRow,
  RunState,
  ScheduleFiring,
  ScheduleRow,
} from '../store.ts';
import {
  readJson,
  readJsonObject,
  readLabels,
  readObjectOrDamage,
  readStringList,
} from './json.ts';

/** Drivers give whole numbers as number, text or bigint. */
export function readInt(value: number | string | bigint): number {
  return Number(value);
}

export function readOptionalInt(
  value: number | string | bigint | null | undefined,
): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** One of the words a column may hold. */
function readWord<T extends string>(value: string, words: readonly T[], where: string): T {
  const word = words.find((candidate) => candidate === value);
  if (word !== undefined) return word;
  throw new ForgeError(
    'store_failed',
    `The store holds "${value}" in ${where}. Known: ${words.join(', ')}.`,
  );
}

export const runStates: readonly RunState[] = [
  'open',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'dead',
];
const approvalStates: readonly ApprovalState[] = [
  'pending',
  'approved',
  'denied',
  'expired',
  'withdrawn',
];

export function readRun(row: Selectable<RunsTable>): RunRow {
  const state = readWord(row.state, runStates, `runs.state of ${row.id}`);
  const cached = readOptionalInt(row.cached_input_tokens);
  const written = readOptionalInt(row.cache_write_tokens);
  const reasoning = readOptionalInt(row.reasoning_tokens);
  return {
    id: row.id,
    agent: row.agent,
    title: row.title ?? undefined,
    tenant: row.tenant === '' ? undefined : row.tenant,
    priority: readInt(row.priority),
    parentId: row.parent_id ?? undefined,
    parentCallId: row.parent_call_id ?? undefined,
    rootId: row.root_id,
    labels: readLabels(row.labels),
    ...(row.forked_from !== null && {
      forkedFrom: { runId: row.forked_from, seq: readInt(row.forked_seq) },
    }),
    state,
    seq: readInt(row.seq),
    fence: readInt(row.fence),
    leaseOwner: row.lease_owner ?? undefined,
    leaseUntil: readOptionalInt(row.lease_until),
    wakeAt: readOptionalInt(row.wake_at),
    strikes: readInt(row.strikes),
    turns: readInt(row.turns),
    usage: {
      inputTokens: readInt(row.input_tokens),
      outputTokens: readInt(row.output_tokens),
      ...(cached !== undefined && { cachedInputTokens: cached }),
      ...(written !== undefined && { cacheWriteTokens: written }),
      ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    },
    cost: fromNanos(readInt(row.cost_nano)),
    reason: (state === 'dead' ? row.dead_reason : row.reason) ?? undefined,
    explanation: (state === 'dead' ? row.dead_explanation : row.explanation) ?? undefined,
    createdAt: readInt(row.created_at),
    updatedAt: readInt(row.updated_at),
    finishedAt: readOptionalInt(row.finished_at),
  };
}

/** A message whose payload cannot be read is given as one of kind `broken`, so that it can be consumed. */
export function readMessage(row: Selectable<InboxTable>): InboxMessage {
  const message = {
    id: readInt(row.id),
    runId: row.run_id,
    source: row.source ?? undefined,
    at: readInt(row.at),
  };
  try {
    return { ...message, kind: row.kind, payload: JSON.parse(row.payload) };
  } catch {
    return { ...message, kind: 'broken', payload: { kind: row.kind, text: row.payload } };
  }
}

export function readApproval(row: Selectable<ApprovalsTable>): ApprovalRow {
  const where = (column: string) => `approvals.${column} of ${row.id}`;
  return {
    id: row.id,
    runId: row.run_id,
    rootId: row.root_id,
    agent: row.agent,
    callId: row.call_id,
    tool: row.tool,
    proposed: readJsonObject(row.proposed, where('proposed')),
    deciders: row.deciders === null ? undefined : readStringList(row.deciders, where('deciders')),
    question: row.question === null ? undefined : readJsonObject(row.question, where('question')),
    expiresAt: readOptionalInt(row.expires_at),
    state: readWord(row.state, approvalStates, where('state')),
    requestedAt: readInt(row.requested_at),
    decidedAt: readOptionalInt(row.decided_at),
    decidedBy: row.decided_by ?? undefined,
    via: row.via ?? undefined,
    approved: row.approved === null ? undefined : readJsonObject(row.approved, where('approved')),
    answer: row.answer === null ? undefined : readJson(row.answer, where('answer')),
    reason: row.reason ?? undefined,
  };
}

export function readRule(row: Selectable<RulesTable>): ApprovalRule {
  const kind = readWord(row.scope, ['run', 'agent', 'always'], `rules.scope of ${row.id}`);
  const whose = row.scope_id ?? '';
  return {
    id: row.id,
    effect: readWord(row.effect, ['allow', 'deny'], `rules.effect of ${row.id}`),
    pattern: row.pattern,
    scope: kind === 'always' ? 'always' : kind === 'run' ? { runId: whose } : { agent: whose },
    createdBy: row.created_by,
    createdAt: readInt(row.created_at),
  };
}

export function readSchedule(row: Selectable<SchedulesTable>): ScheduleRow {
  return {
    id: row.id,
    agent: row.agent,
    tenant: row.tenant === '' ? undefined : row.tenant,
    runId: row.run_id ?? undefined,
    spec: readObjectOrDamage(row.spec, `schedules.spec of ${row.id}`),
    state: readWord(row.state, ['active', 'paused', 'ended'], `schedules.state of ${row.id}`),
    nextAt: readOptionalInt(row.next_at),
    lastAt: readOptionalInt(row.last_at),
    createdAt: readInt(row.created_at),
    version: readInt(row.version),
  };
}

export function readFiring(row: Selectable<FiringsTable>): ScheduleFiring {
  return {
    scheduleId: row.schedule_id,
    dueAt: readInt(row.due_at),
    at: readInt(row.at),
    outcome: readWord(row.outcome, ['fired', 'skipped', 'missed'], `firings of ${row.schedule_id}`),
    ...(row.detail !== null && { detail: row.detail }),
    ...(row.run_id !== null && { runId: row.run_id }),
  };
}

const deploymentStates: readonly DeploymentState[] = [
  'building',
  'starting',
  'live',
  'replaced',
  'failed',
  'rolled_back',
];

export function readDeployment(row: Selectable<DeploymentsTable>): DeploymentRow {
  const verified = readOptionalInt(row.verified);
  return {
    id: row.id,
    project: row.project,
    target: row.target,
    tenant: row.tenant === '' ? undefined : row.tenant,
    commit: row.commit_id,
    digest: row.digest ?? undefined,
    url: row.url ?? undefined,
    state: readWord(row.state, deploymentStates, `deployments.state of ${row.id}`),
    verified: verified === undefined ? undefined : verified === 1,
    reason: row.reason ?? undefined,
    replaces: row.replaces ?? undefined,
    runId: row.run_id ?? undefined,
    detail: readObjectOrDamage(row.detail, `deployments.detail of ${row.id}`),
    startedAt: readInt(row.started_at),
    endedAt: readOptionalInt(row.ended_at),
  };
}

export function readDaily(row: Selectable<DailyTable>): DailyStats {
  return {
    day: row.day,
    agent: row.agent,
    model: row.model,
    runsStarted: readInt(row.runs_started),
    runsCompleted: readInt(row.runs_completed),
    runsFailed: readInt(row.runs_failed),
    runsCancelled: readInt(row.runs_cancelled),
    turns: readInt(row.turns),
    replies: readInt(row.replies),
    toolCalls: readInt(row.tool_calls),
    toolErrors: readInt(row.tool_errors),
    refusals: readInt(row.refusals),
    inputTokens: readInt(row.input_tokens),
    outputTokens: readInt(row.output_tokens),
    cost: fromNanos(readInt(row.cost_nano)),
  };
}
