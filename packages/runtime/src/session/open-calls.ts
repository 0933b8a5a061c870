import type { CallState, RunState } from '@forge/core';

/** Calls of this turn and of earlier ones that have no result yet. */
export function openCalls({ phase, deferred }: RunState): readonly CallState[] {
  const calls = phase.name === 'acting' ? [...phase.calls, ...deferred] : deferred;
  return calls.filter(({ status }) => status !== 'done');
}

export function openCall(state: RunState, callId: string): CallState | undefined {
  return openCalls(state).find(({ call }) => call.id === callId);
}
