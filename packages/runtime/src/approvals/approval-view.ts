import type { Agent, JsonObject, Tool } from '@forge/core';
import type { ApprovalRow } from '@forge/store';
import { mainArgument, suggestPatterns } from '@forge/tools/policy';
import { type Question, readQuestion } from '../human/question.ts';

export type ApprovalAction = 'approve' | 'edit' | 'deny' | 'answer';

/** What a card shows. */
export interface ApprovalView extends Omit<ApprovalRow, 'question'> {
  /** What is asked beside the call: a question, a plan, whether to run an interrupted call again. */
  readonly question: Question | undefined;
  /** Exactly what runs, or ran: the proposed arguments, or those a person put in their place. */
  readonly effective: JsonObject;
  /** What may still be done about it; nothing once it is decided, expired or taken back. */
  readonly actions: readonly ApprovalAction[];
  /** Patterns for "always allow", from narrow to wide. */
  readonly suggestions: readonly string[];
}

export type KnownAgents = (name: string) => Agent | undefined;

export function toolOf(row: ApprovalRow, agents: KnownAgents): Tool | undefined {
  return agents(row.agent)?.guard.tools.get(row.tool);
}

/** A row as it stands now: what nobody has marked as expired yet is so all the same. */
export function toView(row: ApprovalRow, agents: KnownAgents, now: number): ApprovalView {
  const isOver = row.state === 'pending' && row.expiresAt !== undefined && row.expiresAt <= now;
  const question = readQuestion(row.question);
  const view = {
    ...row,
    question,
    state: isOver ? ('expired' as const) : row.state,
    effective: row.approved ?? row.proposed,
  };
  if (view.state !== 'pending') return { ...view, actions: [], suggestions: [] };
  const actions = actionsFor(row, question);
  const suggestions = actions.includes('edit') ? suggestPatterns(callOf(row, agents)) : [];
  return { ...view, actions, suggestions };
}

function actionsFor(
  { question: asked }: ApprovalRow,
  question: Question | undefined,
): readonly ApprovalAction[] {
  if (asked === undefined) return ['approve', 'edit', 'deny'];
  // A question of another version: who cannot read it can only say no.
  if (question === undefined) return ['deny'];
  // The key of the call stays the same, so what runs again must too.
  if (question.kind === 'interrupted' || question.kind === 'request') return ['approve', 'deny'];
  return ['answer', 'deny'];
}

/** The call as the rules see it. */
export function callOf(row: ApprovalRow, agents: KnownAgents, args: JsonObject = row.proposed) {
  const tool = toolOf(row, agents);
  const main = tool && mainArgument(tool.spec.inputSchema);
  return { runId: row.runId, rootId: row.rootId, agent: row.agent, tool: row.tool, args, main };
}
