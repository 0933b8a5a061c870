import type { Agent } from '../agents/define-agent.ts';
import { checkCall } from '../guardrails/check-call.ts';
import { text } from '../messages/message.ts';
import type { Effect } from './effects.ts';
import type { Happening, ToolOutcome } from './events.ts';
import { policyObstacle } from './policy-obstacle.ts';
import type { CallState, RunState } from './state.ts';

/**
 * What the current batch needs: calls that may start now, within the limit on parallel ones,
 * people to ask, and calls that can no longer run.
 *
 * This is the one chain a call goes through once its name and arguments are right: what its tool
 * denies, what it may spend, then the person, then the tool. There is no way to a tool around it.
 */
export function decideCalls(
  agent: Agent,
  state: RunState,
  calls: readonly CallState[],
): readonly Effect[] {
  const ended: Happening[] = [];
  const effects: Effect[] = [];
  /** Names of calls that are to start now: they count before their events do. */
  const starting: string[] = [];
  let free =
    agent.guard.limits.parallelTools -
    calls.filter(({ call, status }) => status === 'running' && !call.external).length;
  for (const proposed of calls) {
    // Nothing is decided about it any more, and there may be thousands of them.
    if (proposed.status === 'running' || proposed.status === 'done') continue;
    const { call, obstacle } = withEdits(agent, proposed);
    const end = obstacle ?? obstacleOf(call, calls);
    if (end !== undefined) {
      ended.push(end);
      continue;
    }
    const effect = nextStep(state, call, calls);
    if (effect === undefined) continue;
    const refusal = policyObstacle({ agent, state, call, starting });
    if (refusal !== undefined) {
      ended.push(ending(call.call, 'denied', refusal));
      continue;
    }
    if (effect.type === 'run_tool') {
      if (free <= 0) continue;
      free -= 1;
    }
    if (effect.type !== 'ask_approval') starting.push(call.call.name);
    effects.push(effect);
  }
  return ended.length > 0 ? [{ type: 'record', happenings: ended }, ...effects] : effects;
}

function nextStep(
  state: RunState,
  { call, turn, args, status }: CallState,
  calls: readonly CallState[],
): Effect | undefined {
  const mayRun = status === 'approved' || (status === 'waiting' && !call.needsApproval);
  if (status !== 'waiting' && !mayRun) return undefined;
  if (!call.after.every((id) => outcomeOf(calls, id) === 'ok')) return undefined;
  const { id: callId, name } = call;
  if (!mayRun) return { type: 'ask_approval', callId, name, args };
  const idempotencyKey = `${state.runId}:${turn}:${callId}`;
  return { type: call.external ? 'await_result' : 'run_tool', callId, name, args, idempotencyKey };
}

/** Why a call that has not started never will. */
function obstacleOf(state: CallState, calls: readonly CallState[]): Happening | undefined {
  const { call, status } = state;
  if (status === 'refused' && state.expired) {
    const said =
      '[Expired] Nobody decided on this call in time, so it was not run. That is no denial: ask again if it still matters.';
    return ending(call, 'expired', said);
  }
  if (status === 'refused') {
    const why = state.refusal ? `: ${withoutStop(state.refusal.trimEnd())}` : '';
    return ending(
      call,
      'denied',
      `[Denied] A person said no to this call${why}. Do not send the same call again.`,
    );
  }
  const failed = call.after.find((id) => isFailure(outcomeOf(calls, id)));
  if (failed !== undefined) {
    const needed = calls.find((other) => other.call.id === failed)?.call.name;
    return ending(
      call,
      'skipped',
      `[NotRun] ${call.name} was not run, because ${needed} did not succeed. Call ${needed} again first.`,
    );
  }
  return undefined;
}

/** Arguments that a person put in place are checked, and mended, like a model's. */
function withEdits(
  { guard }: Agent,
  state: CallState,
): { readonly call: CallState; readonly obstacle?: Happening } {
  const { call, status, args } = state;
  if (status !== 'approved' || args === call.args) return { call: state };
  const checked = checkCall(guard, { ...call, args, mended: [] });
  if (checked.ok) return { call: { ...state, args: checked.args } };
  const said = `[ToolError] The arguments a person put in place do not fit: ${guard.nudge(checked.problem, 1)}`;
  return { call: state, obstacle: ending(call, 'error', said) };
}

function ending(call: CallState['call'], outcome: ToolOutcome, said: string): Happening {
  return {
    type: 'tool.finished',
    callId: call.id,
    name: call.name,
    outcome,
    content: [text(said)],
  };
}

function withoutStop(words: string): string {
  return words.endsWith('.') ? words.slice(0, -1) : words;
}

function outcomeOf(calls: readonly CallState[], id: string): ToolOutcome | undefined {
  return calls.find((call) => call.call.id === id)?.outcome;
}

function isFailure(outcome: ToolOutcome | undefined): boolean {
  return outcome !== undefined && outcome !== 'ok';
}
