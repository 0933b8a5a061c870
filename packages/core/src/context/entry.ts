import type { Message } from '../messages/message.ts';

/**
 * What an entry is to the run, which decides how soon compaction may take it:
 *
 * - `input`: what a person or the caller said. Never lost.
 * - `reply`: an assistant message that was accepted.
 * - `result`: the results of an accepted reply's tool calls (one tool message per call).
 * - `rejected`: an assistant message the guardrails refused, kept so the nudge makes sense.
 * - `nudge`: what we told the model about a refused reply (a user message, or tool messages
 *   that answer the calls of the `rejected` entry before it).
 * - `summary`: a user message that stands for older entries.
 */
export type EntryKind = 'input' | 'reply' | 'result' | 'rejected' | 'nudge' | 'summary';

/** One message of the window: what would be sent to the model, and why it is there. */
export interface ContextEntry {
  /** Dense and rising within a run; never reused. */
  readonly id: number;
  readonly kind: EntryKind;
  /** The model turn it belongs to. Rises over the whole run, across user messages. */
  readonly turn: number;
  readonly message: Message;
}
