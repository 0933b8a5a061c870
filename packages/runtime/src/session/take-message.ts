import { type Agent, type CallState, type Happening, openCall, text } from '@forge/core';
import { personResult } from '../human/person-result.ts';
import type { RunMessage } from '../messages.ts';
import { endRun } from './end-run.ts';
import { notRunAgain } from './interrupted-calls.ts';
import { approvalId, questionId } from './names.ts';
import type { Step } from './step.ts';

/** What a message of the inbox makes of the run. Pure but for the step it writes to. */
export function takeMessage(agent: Agent, step: Step, message: RunMessage): void {
  switch (message.kind) {
    case 'input': {
      const wasOver = step.state.phase.name === 'finished';
      step.add({ type: 'input.received', messages: message.messages });
      if (wasOver) setDeadline(agent, step);
      return;
    }
    case 'approval':
      step.add(...decided(agent, step, message));
      return;
    case 'approval_expired':
      step.add(...expired(agent, step, message));
      return;
    case 'result': {
      const open = openCall(step.state, message.callId);
      if (open === undefined) return;
      const { callId, key, outcome, content } = message;
      if (key !== undefined && key !== `${step.state.runId}:${open.turn}:${callId}`) return;
      step.add({ type: 'tool.finished', callId, name: open.call.name, outcome, content });
      return;
    }
    case 'pause': {
      const { by, reason } = message;
      step.add({ type: 'run.paused', ...(by && { by }), ...(reason && { reason }) });
      return;
    }
    case 'continue':
      step.add({ type: 'run.continued', ...(message.by && { by: message.by }) });
      setDeadline(agent, step);
      return;
    case 'cancel': {
      const why =
        message.reason ?? (message.by ? `Cancelled by ${message.by}.` : 'The run was cancelled.');
      endRun(step, { status: 'cancelled', reason: 'cancelled', explanation: why });
      return;
    }
    case 'verdict': {
      const { verdict, by, note } = message;
      step.add({
        type: 'outcome.recorded',
        kind: 'human',
        verdict,
        taskType: agent.taskType,
        agent: agent.name,
        ...(agent.version !== undefined && { promptVersion: agent.version }),
        cost: 0,
        tokens: 0,
        latencyMs: 0,
        ...(by !== undefined && { by }),
        ...(note !== undefined && { note }),
      });
      return;
    }
    default:
      message satisfies never;
  }
}

/** The time it was paused, or over, does not count. */
function setDeadline({ guard, standing }: Agent, step: Step): void {
  const { duration } = guard.limits;
  if (standing || !Number.isFinite(duration)) return;
  step.timers.deadline = step.state.startedAt + duration;
}

/** A yes or no to a call; or, where a person was asked something, their answer as its result. */
function decided(
  agent: Agent,
  step: Step,
  message: Extract<RunMessage, { kind: 'approval' }>,
): readonly Happening[] {
  const { id, callId, approved, by, via, reason, args, answer, at } = message;
  const open = callOf(step, message);
  if (open === undefined) return [];
  const { name } = open.call;
  const decider = {
    ...(by !== undefined && { by }),
    ...(via !== undefined && { via }),
    ...(reason !== undefined && { reason }),
  };
  const asked = askedBy(id, step, open);
  if (asked !== undefined) {
    return closed(open, asked, {
      outcome: approved ? 'accepted' : 'declined',
      ...(answer !== undefined && { answer }),
      ...decider,
    });
  }
  if (open.status === 'running') {
    if (agent.guard.tools.get(name)?.answeredBy?.type !== 'person') return [];
    const result = personResult({ approved, answer, reason, by, at });
    return [{ type: 'tool.finished', callId, name, ...result }];
  }
  const decision: Happening = {
    type: 'approval.decided',
    callId,
    approved,
    ...(args !== undefined && { args }),
    ...decider,
  };
  if (approved || !isAboutInterruption(id, step, open)) return [decision];
  return [decision, notRunAgain(open, `${by ?? 'a person'} said no${reason ? `: ${reason}` : ''}`)];
}

function expired(
  agent: Agent,
  step: Step,
  message: Extract<RunMessage, { kind: 'approval_expired' }>,
): readonly Happening[] {
  const { callId } = message;
  const open = callOf(step, message);
  if (open === undefined) return [];
  const { name } = open.call;
  const asked = askedBy(message.id, step, open);
  if (asked !== undefined) return closed(open, asked, { outcome: 'expired' });
  if (open.status === 'running') {
    if (agent.guard.tools.get(name)?.answeredBy?.type !== 'person') return [];
    const said = '[Expired] Nobody answered in time. Ask again if it still matters.';
    return [{ type: 'tool.finished', callId, name, outcome: 'expired', content: [text(said)] }];
  }
  const expiry: Happening = { type: 'approval.expired', callId };
  if (!isAboutInterruption(message.id, step, open)) return [expiry];
  return [expiry, notRunAgain(open, 'nobody decided in time')];
}

/**
 * The open call a decision is about. Many models number their calls anew in every turn: a decision
 * on an earlier one must never be taken for a later one of the same name.
 */
function callOf(
  { state }: Step,
  { id, callId }: { readonly id: string; readonly callId: string },
): CallState | undefined {
  const open = openCall(state, callId);
  if (open === undefined) return undefined;
  const own = approvalId(state.runId, open);
  return id === own || id.startsWith(`${own}:`) ? open : undefined;
}

/** The event by which the tool of a call asked this, if it is a question of a tool. */
function askedBy(id: string, { state }: Step, open: CallState): number | undefined {
  const seq = /:q(\d+)$/.exec(id)?.[1];
  if (seq === undefined || id !== questionId(state.runId, open, Number(seq))) return undefined;
  return Number(seq);
}

type Closed = Extract<Happening, { type: 'question.closed' }>;

/** Nothing if nobody waits for it any more. */
function closed(
  { call, asks = [] }: CallState,
  asked: number,
  end: Omit<Closed, 'type' | 'callId' | 'asked'>,
): readonly Happening[] {
  if (!asks.includes(asked)) return [];
  return [{ type: 'question.closed', callId: call.id, asked, ...end }];
}

/** Whether it was asked because the call was interrupted: such an id has more to it. */
function isAboutInterruption(id: string, { state }: Step, open: CallState): boolean {
  return id !== approvalId(state.runId, open);
}
