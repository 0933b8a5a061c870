import type { SummaryRequest } from '../context/compaction.ts';
import type { JsonObject } from '../json.ts';
import type { Message } from '../messages/message.ts';
import type { ModelRequest } from '../models.ts';
import type { Happening } from './events.ts';

/**
 * What to do next. A driver appends what an effect says before it acts, acts, and appends the
 * result. Effects that are under way are not decided again.
 */
export type Effect =
  /** Nothing to do in the world: append these. */
  | { readonly type: 'record'; readonly happenings: readonly Happening[] }
  /** Append `model.requested`, ask, append `model.replied` or `model.failed`. */
  | {
      readonly type: 'call_model';
      readonly turn: number;
      readonly request: ModelRequest;
      readonly estimatedTokens: number;
    }
  /** Append `tool.started`, run it, append `tool.finished`. */
  | {
      readonly type: 'run_tool';
      readonly callId: string;
      readonly name: string;
      readonly args: JsonObject;
      readonly idempotencyKey: string;
    }
  /** Append `approval.requested`, ask a person, append `approval.decided`. */
  | {
      readonly type: 'ask_approval';
      readonly callId: string;
      readonly name: string;
      readonly args: JsonObject;
    }
  /** Append `tool.started`; the result comes from outside as `tool.finished`. */
  | {
      readonly type: 'await_result';
      readonly callId: string;
      readonly name: string;
      readonly args: JsonObject;
      readonly idempotencyKey: string;
    }
  /** Append `context.summary_requested`, summarise, append `context.summarized` or `…_failed`. */
  | {
      readonly type: 'summarize';
      readonly request: SummaryRequest;
      readonly messages: readonly Message[];
    }
  /** Nothing to do until input comes. */
  | { readonly type: 'await_input' };
