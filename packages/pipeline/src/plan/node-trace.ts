import type { JsonValue } from '@forge/core';
import type { ItemTrace } from './follow-items.ts';

/** Where a node stands. Settled by one that reads off the calls of a run, and shown to the rest. */
export interface NodeTrace {
  /** `ready`: it may begin. `dormant`: only a loop leads here, and none has. */
  status: 'pending' | 'ready' | 'running' | 'done' | 'failed' | 'skipped' | 'dormant';
  /** Of a node that failed: the pipeline goes on as if it had been skipped. */
  isLeftOut: boolean;
  /** A loop of its goes back: what follows it waits for the next round. */
  isHeld: boolean;
  /** A loop led here in this round. */
  isTriggered: boolean;
  /** How often it has been its turn. */
  round: number;
  attempt: number;
  /** Calls of all rounds. */
  attempts: number;
  /** Calls of this round, the last attempt of each item. */
  callIds: readonly string[];
  items?: readonly ItemTrace[];
  /** The last one, of this round or an earlier. */
  output?: JsonValue;
  reason?: string;
}

/** Nobody has to wait for it: what follows may begin, or be passed over. */
export function isSettled({ status, isHeld, isLeftOut }: NodeTrace): boolean {
  if (status === 'done') return !isHeld;
  return status === 'skipped' || status === 'dormant' || isLeftOut;
}

/** It will have its turn again; what it handed on stays. */
export function resetForRound(state: NodeTrace | undefined): void {
  if (state === undefined) return;
  state.status = 'pending';
  state.isLeftOut = false;
  state.isHeld = false;
  state.isTriggered = false;
  state.attempt = 0;
  state.callIds = [];
  delete state.items;
  delete state.reason;
}
