import type { JsonObject } from '../json.ts';
import type { EndReason, RunEvent } from '../kernel/events.ts';
import type { Output, Spent } from '../kernel/state.ts';
import type { Message } from '../messages/message.ts';
import type { Model, ModelDelta } from '../models.ts';
import type { Slot } from '../slot/create-slot.ts';
import type { PersonAnswer, PersonRequest } from '../tools/ask-person.ts';

export interface ApprovalRequest {
  readonly callId: string;
  readonly name: string;
  /** Exactly what will run. */
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

export interface ApprovalDecision {
  readonly approved: boolean;
  /** Run these arguments instead. They are checked again. */
  readonly args?: JsonObject;
  readonly by?: string;
  /** Shown to the model on a no. */
  readonly reason?: string;
}

/** A question of a tool, with the call it belongs to. */
export interface QuestionRequest extends PersonRequest {
  readonly callId: string;
  readonly name: string;
}

export interface RunOptions {
  readonly model: Model;
  /** Cancels the run: the model's stream and running tools stop with it. */
  readonly signal?: AbortSignal;
  /** Sees every event as it is appended. What it throws ends the run; a promise it returns is not awaited. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Sees text and reasoning as the model writes it. */
  readonly onDelta?: (delta: ModelDelta) => void;
  /** Decides on calls that need a person. Without it they are denied. */
  readonly approve?: (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;
  /** Puts the questions of running tools to a person. Without it tools cannot ask. */
  readonly askPerson?: (request: QuestionRequest) => PersonAnswer | Promise<PersonAnswer>;
  /** Messages from before this run. */
  readonly history?: readonly Message[];
  /**
   * The events of a paused run, to go on from; or of one that was left in the middle. Then the
   * model and people are asked again, and tools run again if they are `idempotent`.
   */
  readonly events?: readonly RunEvent[];
  /** With `events`: results of the pending calls, by call id. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** Shares one model slot with other runs. The run holds it until it ends or pauses. */
  readonly slot?: Slot;
  /** Among the runs that share a slot, higher goes first. Default 0. */
  readonly priority?: number;
  readonly runId?: string;
  readonly clock?: () => number;
}

export interface RunResult {
  readonly runId: string;
  readonly status: 'completed' | 'failed' | 'cancelled' | 'paused';
  readonly reason: EndReason | 'waiting';
  /** One sentence for a person. */
  readonly explanation: string;
  readonly output?: Output;
  /** Calls a paused run waits for. */
  readonly pending: readonly {
    readonly callId: string;
    readonly name: string;
    readonly args: JsonObject;
  }[];
  readonly usage: Spent;
  readonly turns: number;
  readonly events: readonly RunEvent[];
  /** The conversation as it stands, without the system prompt: pass it as `history` to go on. */
  readonly messages: readonly Message[];
  /** What the model's client threw, when the reason is `model_failed`. */
  readonly error?: unknown;
}
