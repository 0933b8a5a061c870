import type { Hold, HoldOptions, Progress } from '@forge/core';
import type { Advice, Lesson } from './learn/lessons.ts';
import type { ProxyEvent } from './proxy-event.ts';
import type { UsageReport } from './stats/usage-report.ts';

/**
 * What all workers of one proxy share. In one process it is plain objects; across workers each
 * asks the primary process for it.
 */
export interface SharedState {
  /** Undefined where requests are not serialized. */
  readonly slot: { acquire(options?: HoldOptions): Promise<Hold> } | undefined;
  /** Undefined where sessions are off. */
  readonly sessions: Sessions | undefined;
  readonly stats: Stats;
  /** Undefined where nothing is learned. */
  readonly lessons: Lessons | undefined;
  close(): Promise<void>;
}

/** Progress by session key; bounded, the one not used the longest goes first. */
export interface Sessions {
  load(key: string): Promise<Progress | undefined>;
  save(key: string, progress: Progress): void;
}

export interface Stats {
  /** A request has come that will be recorded. */
  begin(): void;
  record(event: ProxyEvent): void;
  report(): Promise<UsageReport>;
  /** For Prometheus, version 0.0.4 of its text format. */
  metrics(): Promise<string>;
}

export interface Lessons {
  /** What worked for this model. At once: it is asked before every request. */
  advise(model: string): Advice;
  observe(event: ProxyEvent): void;
  all(): Promise<Readonly<Record<string, Lesson>>>;
}
