import type { CallState, RunState } from '@forge/core';

/** Where a run stands, in words. */
export type RunStatus =
  | 'new'
  | 'thinking'
  | 'acting'
  | 'waiting_for_approval'
  | 'waiting_for_answer'
  | 'waiting_for_input'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled';

/** Pure: the same log says the same, whoever asks. What waits for a person comes first. */
export function statusOf(state: RunState): RunStatus {
  const { phase, deferred, paused } = state;
  if (phase.name === 'finished') return phase.status;
  if (phase.name === 'new') return 'new';
  if (paused) return 'paused';
  if (phase.name === 'acting') {
    const open = phase.calls.filter(({ status }) => status !== 'done');
    if (open.some(isAtWork)) return 'acting';
    if (open.some(({ status }) => status === 'asked')) return 'waiting_for_approval';
    return open.some(({ status }) => status === 'running') ? 'waiting_for_answer' : 'acting';
  }
  if (phase.name === 'idle' || phase.name === 'done') {
    if (deferred.some(isAtWork)) return 'acting';
    if (deferred.some(({ status }) => status === 'asked')) return 'waiting_for_approval';
    return deferred.length > 0 ? 'waiting_for_answer' : 'waiting_for_input';
  }
  return 'thinking';
}

/** A tool that asks a person something waits for that. */
function isAtWork({ call, status, asks = [] }: CallState): boolean {
  return status === 'running' && !call.external && asks.length === 0;
}
