import { ForgeError, type JsonObject, type JsonValue } from '@forge/core';
import type { ApprovalRow, Decision } from '@forge/store';
import { readAnswer } from '../human/read-answer.ts';
import { type ApprovalAction, callOf, type KnownAgents, toolOf, toView } from './approval-view.ts';
import { checkEdit } from './check-edit.ts';
import { type Remember, ruleToKeep } from './remember.ts';
import type { RuleBook } from './rule-book.ts';
import type { NewApprovalRule } from './rules-api.ts';

/** What a person does about one approval. */
export type ApprovalDecision =
  | {
      readonly id: string;
      readonly action: 'approve';
      /** Arguments in the place of the proposed ones. */
      readonly args?: JsonObject;
      readonly remember?: Remember;
    }
  | {
      readonly id: string;
      readonly action: 'deny';
      /** The model sees it. */
      readonly reason?: string;
      readonly remember?: Remember;
    }
  | { readonly id: string; readonly action: 'answer'; readonly value: JsonValue };

/** Who decides, as the channel they are logged in at knows them, and where. */
export interface Decider {
  readonly by: string;
  readonly via?: string;
}

export interface Prepared {
  readonly decision: Decision;
  readonly rule: NewApprovalRule | undefined;
}

/** Checks a decision before anything is written. What the store is sure about it says again. */
export async function prepareDecision(
  decided: ApprovalDecision,
  {
    row,
    agents,
    rules,
    now,
    by,
    via,
  }: Decider & {
    readonly row: ApprovalRow | undefined;
    readonly agents: KnownAgents;
    readonly rules: RuleBook;
    readonly now: number;
  },
): Promise<Prepared> {
  const { id } = decided;
  if (row === undefined) throw new ForgeError('not_found', `There is no approval "${id}".`);
  const common = { id, by, ...(via !== undefined && { via }) };
  const view = toView(row, agents, now);
  // Who may not decide, or comes too late, hears that from the store, and nothing of the rest.
  if (view.state !== 'pending' || (row.deciders !== undefined && !row.deciders.includes(by))) {
    return { decision: { ...common, approved: false }, rule: undefined };
  }
  checkAction(decided, view.actions);
  switch (decided.action) {
    case 'answer': {
      if (view.question === undefined) throw noSuchAction(decided, view.actions);
      const answer = readAnswer(view.question, decided.value);
      return { decision: { ...common, approved: true, answer }, rule: undefined };
    }
    case 'deny': {
      const { reason, remember = { scope: 'once' } } = decided;
      const call = callOf(row, agents);
      return {
        decision: { ...common, approved: false, ...(reason !== undefined && { reason }) },
        rule: ruleToKeep(remember, { row, call, effect: 'deny', by }),
      };
    }
    case 'approve': {
      const args = checkEdit(row, decided.args, toolOf(row, agents));
      const call = callOf(row, agents, args ?? row.proposed);
      await refuseDenied(rules, id, call);
      const { remember = { scope: 'once' } } = decided;
      return {
        decision: { ...common, approved: true, ...(args !== undefined && { args }) },
        rule: ruleToKeep(remember, { row, call, effect: 'allow', by }),
      };
    }
    default:
      return decided satisfies never;
  }
}

/** A rule that denies wins over a click too: the call would not run. */
async function refuseDenied(rules: RuleBook, id: string, call: ReturnType<typeof callOf>) {
  const ruling = await rules.judge(call);
  if (ruling?.effect !== 'deny') return;
  throw new ForgeError(
    'not_allowed',
    `The rule ${ruling.pattern} (${ruling.ruleId}) denies the call of approval "${id}". Revoke the rule first, or deny the call.`,
  );
}

function checkAction(decided: ApprovalDecision, actions: readonly ApprovalAction[]): void {
  const isEdit = decided.action === 'approve' && decided.args !== undefined;
  if (!actions.includes(isEdit ? 'edit' : decided.action)) throw noSuchAction(decided, actions);
  if (decided.action === 'answer' || (decided.remember?.scope ?? 'once') === 'once') return;
  if (!actions.includes('edit')) {
    throw new ForgeError(
      'invalid_options',
      `Approval "${decided.id}" is a question of its own and leaves no rule: decide it once.`,
    );
  }
}

function noSuchAction({ id, action }: ApprovalDecision, actions: readonly ApprovalAction[]) {
  return new ForgeError(
    'invalid_options',
    `Approval "${id}" does not take "${action}" like that. It takes: ${actions.join(', ')}.`,
  );
}
