import type { Agent } from '../agents/define-agent.ts';
import { judgeReply } from '../guardrails/judge-reply.ts';
import type { Verdict } from '../guardrails/verdict.ts';
import { decideCalls } from './decide-calls.ts';
import { decideProgram } from './decide-program.ts';
import { decideRequest } from './decide-request.ts';
import { finish, record } from './decisions.ts';
import type { Effect } from './effects.ts';
import type { Happening } from './events.ts';
import type { CallState, RunState } from './state.ts';

/**
 * What to do next. Pure: the same agent and state give the same effects, on another machine a
 * year later. An empty list means that everything possible is under way.
 */
export function decide(agent: Agent, state: RunState): readonly Effect[] {
  const { deferred, paused, phase } = state;
  if (paused || phase.name === 'finished') return [];
  if (deferred.length === 0) return decidePhase(agent, state);
  const late = decideCalls(agent, state, deferred);
  // What ended among them changes the state, so the rest is decided after that.
  return late.some(({ type }) => type === 'record')
    ? late
    : [...late, ...decidePhase(agent, state)];
}

function decidePhase(agent: Agent, state: RunState): readonly Effect[] {
  const { phase } = state;
  switch (phase.name) {
    case 'new':
    case 'calling':
    case 'summarizing':
    case 'finished':
      return [];
    case 'idle':
      return [{ type: 'await_input' }];
    case 'ready':
      return agent.program === undefined
        ? decideRequest(agent, state)
        : decideProgram(agent.program, agent.guard.limits, state);
    case 'replied': {
      const open = state.deferred.map(({ call }) => call.id);
      const prefix = `call_${state.turn}`;
      const verdict = judgeReply(agent.guard, state.progress, phase.reply, prefix, open);
      return record(...happeningsOf(verdict, state.turn));
    }
    case 'acting':
      return decideActing(agent, state, phase.calls);
    case 'done':
      if (agent.standing) return [{ type: 'await_input' }];
      // A program knows what is under way, and is done with it.
      if (state.deferred.length > 0 && agent.program === undefined) {
        return [{ type: 'await_input' }];
      }
      return finish('completed', phase.reason, endingOf(agent, phase.reason));
    case 'failing':
      return finish('failed', 'model_failed', `The model could not be asked: ${phase.error}`);
    default:
      return unreachable(phase);
  }
}

/**
 * A conversation goes on while a call waits for somebody outside, once there is something to say; a
 * program at once, to be asked again at each result.
 */
function decideActing(
  agent: Agent,
  state: RunState,
  calls: readonly CallState[],
): readonly Effect[] {
  const effects = decideCalls(agent, state, calls);
  const goesOn = agent.program !== undefined || (agent.standing && state.inbox.length > 0);
  if (!goesOn || effects.length > 0) return effects;
  const open = calls.filter(({ status }) => status !== 'done');
  if (!open.every(waitsOutside)) return effects;
  const callIds = open.map(({ call }) => call.id);
  return record({ type: 'calls.deferred', callIds, reason: 'waiting' });
}

function waitsOutside({ call, status, asks = [] }: CallState): boolean {
  return status === 'asked' || (status === 'running' && (call.external || asks.length > 0));
}

function endingOf({ program }: Agent, reason: 'answered' | 'terminal_tool'): string {
  if (program !== undefined) return 'The program finished.';
  return reason === 'answered' ? 'The model answered.' : 'A terminal tool succeeded.';
}

function happeningsOf(verdict: Verdict, turn: number): readonly Happening[] {
  switch (verdict.kind) {
    case 'execute': {
      const { message, calls, source, format, mended } = verdict;
      return [{ type: 'reply.accepted', turn, message, calls, source, format, mended }];
    }
    case 'answer':
      return [{ type: 'reply.answered', turn, message: verdict.message, text: verdict.text }];
    case 'retry':
    case 'blocked': {
      const { kind, drain, tone, problems, message, nudges } = verdict;
      return [{ type: 'reply.refused', turn, kind, drain, tone, problems, message, nudges }];
    }
    case 'fatal': {
      const { reason, explanation } = verdict;
      return [{ type: 'run.finished', status: 'failed', reason, explanation }];
    }
    default:
      return unreachable(verdict);
  }
}

function unreachable(value: never): never {
  throw new Error(`unhandled ${JSON.stringify(value)}`);
}
