import type { Agent, Model, ModelDelta } from '@forge/core';
import type { RunRow, Store } from '@forge/store';
import type { Queue } from '../queue/queue.ts';
import type { SessionEnd } from '../session/run-session.ts';
import type { InterruptedPolicy, SessionHost, StopPoint } from '../session/session-host.ts';

export interface WorkerOptions {
  readonly store: Store;
  /** The agents this worker knows. Runs of others are left to others. */
  readonly agents: readonly Agent[];
  /** One voice for all, or one for each agent and run; then always the same for the same run. */
  readonly model: Model | ((agent: Agent, run: RunRow) => Model);
  /** Carries wake-ups between machines. Without it the store's own are enough. */
  readonly queue?: Queue;
  /** Runs at the same time. Default 50. */
  readonly concurrency?: number;
  readonly perAgent?: Readonly<Record<string, number>>;
  readonly perTenant?: number;
  /** Milliseconds a lease lasts without a heartbeat: how long after a crash others take over. Default 10,000. */
  readonly leaseTtl?: number;
  /** Milliseconds between two looks for runs nobody told about. Default 5,000. */
  readonly pollEvery?: number;
  /** Failures in a row after which a run is given up as dead. Default 5. */
  readonly maxStrikes?: number;
  readonly interrupted?: InterruptedPolicy;
  readonly approvalTtl?: number;
  readonly deciders?: SessionHost['deciders'];
  readonly owner?: string;
  readonly now?: () => number;
  readonly onDelta?: (runId: string, delta: ModelDelta) => void;
  /**
   * Told when it lets go of a run: it is over, waits for something, is another worker's, or (`broken`)
   * could not be worked on.
   */
  readonly onRest?: (runId: string, end: SessionEnd | 'broken') => void;
  /** Told of what went wrong beside the runs. */
  readonly onProblem?: (problem: WorkerProblem) => void;
  readonly stopAt?: (point: StopPoint, runId: string) => Promise<void> | void;
}

export interface WorkerProblem {
  readonly runId?: string;
  /** `listener`: what `onRest` or `onDelta` threw. The run goes on. */
  readonly what: 'claim' | 'heartbeat' | 'session' | 'sweep' | 'listener';
  readonly error: unknown;
}

export interface Worker {
  readonly owner: string;
  /** Runs it works on at the moment. */
  readonly active: number;
  /**
   * Takes nothing new and lets what runs come to its end, at most `grace` milliseconds; what is
   * left then is stopped and taken over by others.
   */
  stop(options?: { readonly grace?: number }): Promise<void>;
  /** Resolves when it has nothing to do. For tests and scripts. */
  idle(): Promise<void>;
}
