import type { AssistantMessage, Message, Tone } from '@forge/core';
import type { WireReply, WireRequest } from '@forge/models';
import type { Rung } from '../proxy-event.ts';

/** A reply that was no good, and what the model is told about it. */
export interface RefusedReply {
  readonly message: AssistantMessage;
  readonly nudges: readonly Message[];
  readonly tone: Tone;
}

/** How the next reply is asked for. */
export interface Ask {
  readonly rung: Rung;
  readonly request: WireRequest;
  /** What the reply means in the client's terms. */
  readonly read: (reply: WireReply) => WireReply;
}
