import type { CallState, RunState } from './state.ts';

/** Calls without a result, those of this turn before those the run went on without. */
export function openCalls({ phase, deferred }: RunState): readonly CallState[] {
  const calls = phase.name === 'acting' ? [...phase.calls, ...deferred] : deferred;
  return calls.filter(({ status }) => status !== 'done');
}

/** The call of that id that has no result yet: of this turn, else of an earlier one. */
export function openCall(state: RunState, callId: string): CallState | undefined {
  return openCalls(state).find(({ call }) => call.id === callId);
}

/** The state with that call changed, wherever it stands. One that is not open stays as it is. */
export function changeCall(
  state: RunState,
  callId: string,
  change: (call: CallState) => CallState,
): RunState {
  const open = openCall(state, callId);
  if (open === undefined) return state;
  const changed = (calls: readonly CallState[]) =>
    calls.map((call) => (call === open ? change(call) : call));
  if (state.deferred.includes(open)) return { ...state, deferred: changed(state.deferred) };
  if (state.phase.name !== 'acting') return state;
  return { ...state, phase: { name: 'acting', calls: changed(state.phase.calls) } };
}
