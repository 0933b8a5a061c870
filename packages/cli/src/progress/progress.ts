import type { JsonObject, Outcome, RunEvent } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import type { RunRow } from '@forge/store';

export type StepState = 'new' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export interface ProgressCall {
  readonly callId: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** One run of a family, as far as its log was read. */
export interface Step {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly parentCallId: string | undefined;
  readonly agent: string;
  /** What it is called here: by the call that started it, else by its title or its agent. */
  readonly name: string;
  readonly state: StepState;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly model: string | undefined;
  /** The model was asked and has not answered. */
  readonly thinking: boolean;
  /** Replies that were sent back. */
  readonly nudges: number;
  /** Tools and models that failed. */
  readonly failures: number;
  /** Calls that were begun and have no result yet. */
  readonly calls: readonly ProgressCall[];
  /** Calls that wait for a person's yes or answer. */
  readonly asked: readonly ProgressCall[];
  readonly outcome: Pick<Outcome, 'kind' | 'verdict' | 'note'> | undefined;
  /** How it ended, in a sentence. */
  readonly explanation: string | undefined;
}

/** A family of runs, in the order in which they were first heard of. */
export type Progress = ReadonlyMap<string, Step>;

export type Member = Pick<RunRow, 'id' | 'agent' | 'title' | 'parentId' | 'parentCallId'>;

export const noProgress: Progress = new Map();

/** What an event of a member makes of it. Pure. */
export function evolveProgress(before: Progress, member: Member, event: RunEvent): Progress {
  const step = before.get(member.id) ?? newStep(before, member);
  return new Map(before).set(member.id, evolveStep(step, event));
}

/** A member of which nothing is known but that it is there. */
export function addMember(before: Progress, member: Member): Progress {
  return before.has(member.id) ? before : new Map(before).set(member.id, newStep(before, member));
}

function newStep(progress: Progress, member: Member): Step {
  const { id, agent, title, parentId, parentCallId } = member;
  const parent = parentId === undefined ? undefined : progress.get(parentId);
  const call = parent?.calls.find(({ callId }) => callId === parentCallId);
  return {
    ...{ id, agent, parentId, parentCallId },
    name: call === undefined ? (title ?? bareAgent(agent)) : callName(call),
    state: 'new',
    startedAt: undefined,
    endedAt: undefined,
    turns: 0,
    tokens: 0,
    cost: 0,
    model: undefined,
    thinking: false,
    nudges: 0,
    failures: 0,
    calls: [],
    asked: [],
    outcome: undefined,
    explanation: undefined,
  };
}

/** Steps of a pipeline that are done for several items are called with the item: `code[api]#1.1`. */
function callName({ name, callId }: ProgressCall): string {
  const item = /\[(.{1,80})\]#\d+\.\d+$/.exec(callId)?.[1];
  return item === undefined ? name : `${name} ${item}`;
}

function evolveStep(step: Step, event: RunEvent): Step {
  switch (event.type) {
    case 'run.started':
      return { ...step, state: 'running', startedAt: event.at };
    case 'run.resumed':
      return { ...step, thinking: false };
    case 'run.paused':
      return { ...step, state: 'paused' };
    case 'run.continued':
    case 'input.received':
      return { ...step, state: 'running', endedAt: undefined };
    case 'model.requested':
      return { ...step, thinking: true, turns: event.turn, model: event.model ?? step.model };
    case 'model.replied': {
      const { usage, cost = 0 } = event.reply;
      const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
      const spent = { tokens: step.tokens + tokens, cost: step.cost + cost };
      return { ...step, ...spent, thinking: false, model: event.model ?? step.model };
    }
    case 'model.failed':
      return { ...step, thinking: false, failures: step.failures + 1 };
    case 'reply.refused':
      return { ...step, nudges: step.nudges + 1 };
    case 'approval.requested':
    case 'question.asked': {
      const args = event.type === 'approval.requested' ? event.args : { question: event.message };
      const call = { callId: event.callId, name: event.name, args };
      return { ...step, asked: [...without(step.asked, event.callId), call] };
    }
    case 'approval.decided':
    case 'approval.expired':
    case 'question.closed':
      return { ...step, asked: without(step.asked, event.callId) };
    case 'tool.started': {
      const { callId, name, args } = event;
      return { ...step, calls: [...without(step.calls, callId), { callId, name, args }] };
    }
    case 'tool.finished':
      return {
        ...step,
        calls: without(step.calls, event.callId),
        asked: without(step.asked, event.callId),
        failures: step.failures + (event.outcome === 'error' ? 1 : 0),
      };
    case 'run.finished':
      return {
        ...step,
        state: event.status,
        endedAt: event.at,
        explanation: event.explanation,
        thinking: false,
        calls: [],
        asked: [],
      };
    case 'outcome.recorded': {
      if (event.kind === 'human') return step;
      const { kind, verdict, note } = event;
      return { ...step, outcome: { kind, verdict, ...(note !== undefined && { note }) } };
    }
    default:
      return step;
  }
}

function without(calls: readonly ProgressCall[], callId: string): readonly ProgressCall[] {
  return calls.filter((call) => call.callId !== callId);
}
