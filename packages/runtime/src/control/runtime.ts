import type { RunState, UserMessage } from '@forge/core';
import type { ApprovalRow, Decision, RunRow } from '@forge/store';
import type { RunStatus } from './status-of.ts';

export interface LaunchOptions {
  /** A name of your own, so that a repeated launch is one run. Default: a new one. */
  readonly id?: string;
  readonly title?: string;
  readonly tenant?: string;
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970; it begins then, or when something is sent to it before. */
  readonly at?: number;
}

export interface SendOptions {
  /** The same message from the same source is taken once: an id of the chat, of the webhook. */
  readonly source?: string;
  /** `interrupt`: the model is stopped in the middle of its sentence. Default `queue`. */
  readonly mode?: 'queue' | 'interrupt';
}

export interface RunView {
  readonly run: RunRow;
  readonly status: RunStatus;
  readonly state: RunState;
}

export type Input = string | UserMessage | readonly UserMessage[];

/**
 * What people and programs do with runs. Nothing here works on a run: workers do. Everything is
 * on disk when its promise resolves, and may be done from any process.
 */
export interface Runtime {
  launch(agent: string, input: Input, options?: LaunchOptions): Promise<RunRow>;
  /** False if that source was heard before. */
  send(runId: string, input: Input, options?: SendOptions): Promise<boolean>;
  /**
   * The result of a call that is answered from outside. With the call's idempotency key it is taken
   * for that call alone and once: many models number their calls anew in every turn, so that an
   * answer that comes twice might else be taken for a later call of the same id. False if it was
   * heard before.
   */
  answer(
    runId: string,
    callId: string,
    result: { readonly text: string; readonly isError?: boolean; readonly key?: string },
  ): Promise<boolean>;
  pause(runId: string, by?: { readonly by?: string; readonly reason?: string }): Promise<void>;
  resume(runId: string, by?: { readonly by?: string }): Promise<void>;
  cancel(runId: string, by?: { readonly by?: string; readonly reason?: string }): Promise<void>;
  /** The run at the top and all below it that have not ended. Say it again once the worker has stopped. */
  pauseFamily(
    rootId: string,
    by?: { readonly by?: string; readonly reason?: string },
  ): Promise<void>;
  resumeFamily(rootId: string, by?: { readonly by?: string }): Promise<void>;
  /** What a person thinks of a run, also of one that has ended: an outcome on its log. */
  verdict(
    runId: string,
    verdict: {
      readonly verdict: 'success' | 'failure' | 'partial';
      readonly by?: string;
      readonly note?: string;
    },
  ): Promise<void>;
  /** All of them or none. */
  decide(...decisions: readonly Decision[]): Promise<readonly ApprovalRow[]>;
  /** The run with its state, folded from its log: at its end, or as it was after event `at`. */
  view(runId: string, at?: number): Promise<RunView>;
  /** A new run that goes on from an event of this one. */
  fork(
    runId: string,
    options: { readonly at: number; readonly id?: string; readonly title?: string },
  ): Promise<RunRow>;
  /** Resolves when the run has ended. */
  ended(runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunView>;
  /** Resolves when the run has ended, or waits for somebody: a person, an answer, a run it started. */
  settled(runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunView>;
}
