import type { Agent, Model, ModelDelta } from '@forge/core';
import type { RunRow, Store } from '@forge/store';
import type { RuleBook } from '../approvals/rule-book.ts';

/** Named places at which a test may stop the world. */
export type StopPoint =
  | 'before_intent'
  | 'after_intent'
  | 'after_effect'
  | 'before_append'
  | 'after_append';

/** What becomes of a call that had begun when its worker died, and that is not safe to repeat. */
export type InterruptedPolicy = 'tell_model' | 'ask_person';

/** What a session needs of the process it runs in. */
export interface SessionHost {
  readonly store: Store;
  /** Undefined for an agent this process does not know. */
  readonly agent: (name: string) => Agent | undefined;
  /** The voice of an agent in that run; the same one whenever it is asked about the same run. */
  readonly model: (agent: Agent, run: RunRow) => Model;
  readonly rules: RuleBook;
  readonly now: () => number;
  readonly interrupted: InterruptedPolicy;
  /** Milliseconds before an approval expires; for ever if not said. */
  readonly approvalTtl?: number | undefined;
  /** Who may decide on the calls of a run; anyone if it says nothing. */
  readonly deciders?:
    | ((run: { readonly id: string; readonly agent: string }) => readonly string[] | undefined)
    | undefined;
  readonly onDelta?: ((runId: string, delta: ModelDelta) => void) | undefined;
  /** Awaited at named places; for tests. */
  readonly stopAt?: ((point: StopPoint, runId: string) => Promise<void> | void) | undefined;
}
