import type { CallState, RunState } from './state.ts';

/** Calls without a result, those of this turn before those the run went on without. */
export function openCalls({ phase, deferred }: RunState): readonly CallState[] {
  const calls = phase.name === 'acting' ? [...phase.calls, ...deferred] : deferred;
  return calls.filter(({ status }) => status !== 'done');
}

/** The call of that id that has no result yet: of this turn, else of an earlier one. */
export function openCall({ phase, deferred }: RunState, callId: string): CallState | undefined {
  const isMeant = isOpen(callId);
  const ofTurn = phase.name === 'acting' ? phase.calls.find(isMeant) : undefined;
  return ofTurn ?? deferred.find(isMeant);
}

/** The state with that call changed, wherever it stands. One that is not open stays as it is. */
export function changeCall(
  state: RunState,
  callId: string,
  change: (call: CallState) => CallState,
): RunState {
  const { phase, deferred } = state;
  const isMeant = isOpen(callId);
  if (phase.name === 'acting') {
    const calls = changeFirst(phase.calls, isMeant, change);
    if (calls !== undefined) return { ...state, phase: { name: 'acting', calls } };
  }
  const late = changeFirst(deferred, isMeant, change);
  return late === undefined ? state : { ...state, deferred: late };
}

function isOpen(callId: string): (call: CallState) => boolean {
  return ({ call, status }) => call.id === callId && status !== 'done';
}

/** Undefined if none is meant. A run may have thousands of calls open: one look, one copy. */
function changeFirst(
  calls: readonly CallState[],
  isMeant: (call: CallState) => boolean,
  change: (call: CallState) => CallState,
): readonly CallState[] | undefined {
  const at = calls.findIndex(isMeant);
  const call = calls[at];
  return call && calls.with(at, change(call));
}
