import type { JsonObject } from '../json.ts';

/** A call that a program made, and what came of it. */
export interface ProgramCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** `open`: no result yet. */
  readonly status: 'open' | 'ok' | 'failed';
  /** The text of its result; of a failure, why. Empty while it is open. */
  readonly text: string;
}

/** All a program may go by. */
export interface ProgramView {
  /** What was said to the run, oldest first. */
  readonly input: readonly string[];
  /** In the order they were made. */
  readonly calls: readonly ProgramCall[];
}

export type ProgramStep =
  /** Ids are of the program's choice, and never used twice in a run. None: wait for those that are open. */
  | {
      readonly type: 'call';
      readonly calls: readonly {
        readonly id: string;
        readonly name: string;
        readonly args: JsonObject;
      }[];
    }
  | { readonly type: 'finish'; readonly output: string }
  /** What is under way is cancelled. */
  | { readonly type: 'fail'; readonly explanation: string };

/**
 * Says what an agent does next in the place of a model. Pure: the same view, the same step. It is
 * asked again whenever a call has ended; calls that wait for somebody outside hold up nothing.
 */
export type Program = (view: ProgramView) => ProgramStep;
