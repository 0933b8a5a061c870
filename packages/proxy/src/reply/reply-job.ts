import type { ServerResponse } from 'node:http';
import type { Guard, Hold } from '@forge/core';
import type { ModelError, Wire } from '@forge/models';
import type { Attempt, Outcome } from '../proxy-event.ts';
import type { Turn } from '../turn/turn.ts';
import type { Backend, BackendCall } from '../upstream/backend.ts';

/** One client's request for a reply, on its way. */
export interface ReplyJob {
  readonly wire: Wire;
  readonly backend: Backend;
  /** Made when it is first asked for: a reply that is plainly right needs none. */
  readonly turn: () => Turn;
  /** What a whole reply is if it is plainly right as it came; undefined if it has to be judged. */
  readonly glance: (body: unknown) => Attempt | undefined;
  readonly guard: Guard | undefined;
  readonly response: ServerResponse;
  /** For the backend: names and values in turns. */
  readonly headers: string[];
  /** A right reply may leave as it came: client and backend speak the same wire, and nobody edits. */
  readonly isRaw: boolean;
  /** Nothing of a reply may go out before all of it is judged. */
  readonly holdsAll: boolean;
  /** The client reads a stream as one JSON list. */
  readonly readsList: boolean;
  /** The client asked for the usage of a stream. */
  readonly wantsUsage: boolean;
  readonly maxReplyBytes: number;
  readonly heartbeat: number;
  /** The slot it holds, where requests are serialized. */
  readonly hold: Hold | undefined;
  readonly onBug: (error: unknown) => void;
  /** Told what the backend refused: true if it is asked in another way, and somebody else hears that. */
  readonly again: (error: ModelError) => boolean;
  /** The call that runs now; aborted when the client leaves. */
  call: BackendCall | undefined;
  hasLeft: boolean;
  /** Told once, when the last byte was handed to the client's socket. */
  readonly done: (end: JobEnd) => void;
}

export interface JobEnd {
  readonly status: number;
  readonly outcome: Outcome;
  /** Of a reply that needed no turn. */
  readonly attempt?: Attempt;
  readonly error?: ModelError | undefined;
}
