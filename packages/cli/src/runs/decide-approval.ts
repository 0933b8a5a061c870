import type { JsonValue } from '@forge/core';
import type { ApprovalDecision, Approvals, ApprovalView, Remember } from '@forge/runtime';
import type { Store } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { createQuestions } from '../questions.ts';
import { UsageError } from '../usage-error.ts';
import { approvalCard } from './approval-card.ts';
import { askDecision, readArguments } from './ask-decision.ts';
import { decider } from './decider.ts';
import { deploymentPreview } from './deployment-preview.ts';
import { findApproval, inALine, pendingApprovals } from './find-approval.ts';
import { withWorkshop } from './with-workshop.ts';

interface DecideFlags {
  readonly context: CommandContext;
  readonly action: 'approve' | 'deny';
  readonly args?: string;
  readonly answer?: string;
  readonly reason?: string;
  readonly always?: boolean;
  readonly run?: boolean;
  readonly pattern?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** `forge approve` and `forge deny`, once their flags are read. */
export async function decideApproval(id: string | undefined, flags: DecideFlags): Promise<void> {
  const { context, json = false } = flags;
  const remember = rememberOf(flags);
  await withWorkshop(context, {}, async (workshop) => {
    const approvals = await workshop.approvals();
    const terminal = context.terminal();
    if (flags.list || (id === undefined && json)) {
      return showPending(approvals, { store: workshop.store, context, json });
    }
    if (id === undefined) return goThrough(approvals, workshop.store, context);
    const view = await findApproval(approvals, id);
    const decision = decisionOf(view, flags, remember);
    const { approvals: [decided] = [], rules } = await approvals.decide([decision], decider());
    if (json) {
      terminal.out(JSON.stringify({ approval: decided, rules }));
      return;
    }
    for (const line of approvalCard(decided ?? view, terminal)) terminal.out(line);
    terminal.out(flags.action === 'approve' ? 'Approved.' : 'Denied.');
    for (const rule of rules) terminal.out(`Remembered: ${rule.effect} ${rule.pattern}`);
  });
}

function rememberOf({ always, run, pattern }: DecideFlags): Remember | undefined {
  if (always && run) throw new UsageError('Write --run or --always, not both.');
  if (!always && !run) {
    if (pattern === undefined) return undefined;
    throw new UsageError('A --pattern is remembered with --run or --always. Write one of them.');
  }
  return { scope: always ? 'always' : 'run', ...(pattern !== undefined && { pattern }) };
}

function decisionOf(
  view: ApprovalView,
  { action, args, answer, reason }: DecideFlags,
  remember: Remember | undefined,
): ApprovalDecision {
  const { id, actions } = view;
  if (action === 'deny') {
    return {
      id,
      action,
      ...(reason !== undefined && { reason }),
      ...(remember !== undefined && { remember }),
    };
  }
  if (actions.includes('answer')) {
    if (answer !== undefined) return { id, action: 'answer', value: readAnswerFlag(view, answer) };
    throw new UsageError(
      'This is a question: give its answer with --answer, or go without an id in a terminal.',
    );
  }
  if (answer !== undefined) throw new UsageError('This is no question: leave --answer out.');
  return {
    id,
    action,
    ...(args !== undefined && { args: readArguments(args) }),
    ...(remember !== undefined && { remember }),
  };
}

function readAnswerFlag({ question }: ApprovalView, answer: string): JsonValue {
  if (question?.kind !== 'value') return answer;
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}

async function showPending(
  approvals: Approvals,
  {
    store,
    context,
    json,
  }: { readonly store: Store; readonly context: CommandContext; readonly json: boolean },
): Promise<void> {
  const terminal = context.terminal();
  const waiting = await pendingApprovals(approvals);
  if (json) terminal.out(JSON.stringify(waiting));
  else if (waiting.length === 0) terminal.out('Nothing waits for you.');
  else {
    for (const view of waiting) {
      terminal.out(inALine(view));
      const { signal } = context;
      for (const line of await deploymentPreview(view, { store, signal })) terminal.out(line);
    }
  }
}

/** One after the other, with somebody at the terminal. */
async function goThrough(
  approvals: Approvals,
  store: Store,
  context: CommandContext,
): Promise<void> {
  const { stdin, signal } = context;
  const terminal = context.terminal();
  const waiting = await pendingApprovals(approvals);
  if (waiting.length === 0) {
    terminal.out('Nothing waits for you.');
    return;
  }
  if (!terminal.interactive) {
    const list = waiting.map((view) => `  ${inALine(view)}`).join('\n');
    throw new UsageError(`Which one? Name it by its id:\n${list}`);
  }
  const questions = createQuestions({ terminal, stdin, signal });
  try {
    for (const [at, view] of waiting.entries()) {
      terminal.out(terminal.style('dim', `${at + 1} of ${waiting.length}`));
      const preview = await deploymentPreview(view, { store, signal });
      for (const line of [...approvalCard(view, terminal), ...preview]) terminal.out(line);
      const decision = await askDecision(view, questions);
      if (decision === 'later') continue;
      await approvals.decide([decision], decider());
      terminal.out(decision.action === 'deny' ? 'Denied.' : 'Done.');
    }
  } finally {
    questions.close();
  }
}
