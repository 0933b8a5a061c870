import * as z from 'zod';
import type { JsonObject } from '../json.ts';
import type { AssistantMessage, Message } from '../messages/message.ts';
import type { Problem, Tone } from './problem.ts';
import type { Drain } from './progress.ts';

/** A call that may run: its tool exists, its arguments fit, its turn has come. */
export const checkedCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  args: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
  /** Calls of the same batch that must succeed first. */
  after: z.array(z.string()).readonly(),
  /** Established when it succeeds. */
  facts: z.array(z.string()).readonly(),
  /** Its success ends the run. */
  terminal: z.boolean(),
  needsApproval: z.boolean(),
  triggers: z.boolean(),
  /** It has no `run`: its result comes from outside. */
  external: z.boolean(),
});
export type CheckedCall = Readonly<z.infer<typeof checkedCallSchema>>;

/** Something mended on the way, in words for a person. */
export const mendedSchema = z.object({ callId: z.string(), what: z.string() });
export type Mended = Readonly<z.infer<typeof mendedSchema>>;

export interface Taken {
  /** The assistant message as it goes into the history. */
  readonly message: AssistantMessage;
  readonly text: string;
  readonly source: 'native' | 'rescued' | 'text';
  /** The format a rescued call was found in. */
  readonly format?: string;
  readonly mended: readonly Mended[];
}

export interface Refusal {
  readonly message: AssistantMessage;
  readonly problems: readonly Problem[];
  readonly drain: Drain;
  readonly tone: Tone;
  /** What to send the model after `message`: tool results, or a user message where it made no call. */
  readonly nudges: readonly Message[];
}

export type FatalReason =
  | 'retries_exhausted'
  | 'steps_not_done'
  | 'prerequisites_not_met'
  | 'loop'
  | 'content_filter';

/** What a reply comes to. */
export type Verdict =
  | ({ readonly kind: 'execute'; readonly calls: readonly CheckedCall[] } & Taken)
  | ({ readonly kind: 'answer' } & Taken)
  /** The reply is no good: ask again, with the nudges. */
  | ({ readonly kind: 'retry' } & Refusal)
  /** The calls are sound but not now: ask again, with the nudges. */
  | ({ readonly kind: 'blocked' } & Refusal)
  | {
      readonly kind: 'fatal';
      readonly reason: FatalReason;
      readonly explanation: string;
      readonly problems: readonly Problem[];
    };
