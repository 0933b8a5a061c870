import { hash } from 'node:crypto';

interface CallName {
  readonly call: { readonly id: string };
  readonly turn: number;
}

/**
 * The approval of a call: with the turn, for many models number their calls anew in every turn. With
 * `seq` where the same call is asked about again, because it was interrupted after that event.
 */
export function approvalId(runId: string, { call, turn }: CallName, seq?: number): string {
  const id = `${runId}:${turn}:${call.id}`;
  return seq === undefined ? id : `${id}:${seq}`;
}

/** What a running tool asks, by the event that asked. Never taken for a decision on the call itself. */
export function questionId(runId: string, call: CallName, seq: number): string {
  return `${approvalId(runId, call)}:q${seq}`;
}

const plainId = /^[\w-]{1,40}$/;

/** The run that answers a call: the same whoever starts it, so it is started once. */
export function childId(runId: string, turn: number, callId: string): string {
  return `${runId}.${turn}.${plainId.test(callId) ? callId : hash('sha256', callId).slice(0, 16)}`;
}
