import type { Happening, JsonObject, JsonValue, Redactor, RunEvent, Usage } from '@forge/core';
import type { DeploymentStore } from './deployments/deployment-store.ts';
import type { MemoryStore } from './memory/memory-store.ts';
import type { OutcomeFilter, OutcomeRow } from './outcomes/outcome-row.ts';

/** Where a run stands. `open`: it may be worked on, now or when something wakes it. */
export type RunState = 'open' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'dead';

/** What a run is made of. Its first input is put into its inbox in the same transaction. */
export interface NewRun {
  readonly id: string;
  readonly agent: string;
  readonly title?: string;
  readonly tenant?: string;
  /** Higher goes first. Default 0. */
  readonly priority?: number;
  /** The run that started it, and the call that waits for it. */
  readonly parent?: { readonly runId: string; readonly callId?: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly inbox?: readonly NewMessage[];
  /** When it may begin, in milliseconds since 1970. Default: now. */
  readonly wakeAt?: number;
}

/** The row of a run. Everything but scheduling is a projection of its log. */
export interface RunRow {
  readonly id: string;
  readonly agent: string;
  readonly title: string | undefined;
  readonly tenant: string | undefined;
  readonly priority: number;
  readonly parentId: string | undefined;
  readonly parentCallId: string | undefined;
  /** The run at the top of the family; itself if it has no parent. */
  readonly rootId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of a fork: the run whose log it has, up to that event. */
  readonly forkedFrom?: { readonly runId: string; readonly seq: number };
  readonly state: RunState;
  /** Number of its last event; 0 before the first. */
  readonly seq: number;
  /** Rises with every lease. */
  readonly fence: number;
  readonly leaseOwner: string | undefined;
  /** By the database's clock. */
  readonly leaseUntil: number | undefined;
  /** It is worked on from then on. Undefined: only when something arrives for it. */
  readonly wakeAt: number | undefined;
  /**
   * Leases in a row that ended without an append: a run that kills its workers. An append of nothing
   * but `run.resumed` does not count, for such a run gets that far each time.
   */
  readonly strikes: number;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: number;
  /** Of the last `run.finished`, or of the failure that made it dead. */
  readonly reason: string | undefined;
  readonly explanation: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | undefined;
}

/**
 * Something for a run from outside: input, a decision, a result, a timer, an order to pause. It
 * becomes events when the worker that holds the lease reads it.
 */
export interface NewMessage {
  readonly kind: string;
  readonly payload: JsonValue;
  /** Unique per run: what has arrived once under it is not taken again. */
  readonly source?: string;
  /** False: it waits for the next turn and wakes nobody. Default true. */
  readonly wakes?: boolean;
  /** With it a run that is paused, dead, completed or failed is open again. Default false. */
  readonly reopens?: boolean;
}

export interface InboxMessage {
  /** Rises in the order of arrival. */
  readonly id: number;
  readonly runId: string;
  readonly kind: string;
  readonly payload: JsonValue;
  readonly source: string | undefined;
  readonly at: number;
}

export interface Lease {
  readonly run: RunRow;
  readonly fence: number;
  readonly until: number;
}

export interface ClaimOptions {
  readonly owner: string;
  /** Milliseconds a lease lasts without a heartbeat. */
  readonly ttl: number;
  readonly limit: number;
  /** Only this one; given where something woke exactly that run. */
  readonly runId?: string;
  /** Only runs of these agents: what this worker knows. */
  readonly agents?: readonly string[];
  /** The most runs leased at once, by agent and by tenant. */
  readonly perAgent?: Readonly<Record<string, number>>;
  readonly perTenant?: number;
}

/** Everything one step writes, in one transaction: all of it or nothing. */
export interface Append {
  readonly runId: string;
  readonly fence: number;
  /** Number of the last event the writer knows. */
  readonly expectedSeq: number;
  readonly happenings: readonly Happening[];
  /** For all of them, in milliseconds since 1970. */
  readonly at: number;
  /** Messages these events come from; they are read now. */
  readonly consumes?: readonly number[];
  /** Approvals that are asked for with this. */
  readonly approvals?: readonly NewApproval[];
  /** Approvals that nobody has to decide any more. */
  readonly withdraws?: readonly string[];
  /** Timers by a name of their own: when they are due, or null to clear. */
  readonly timers?: Readonly<Record<string, number | null>>;
  readonly children?: readonly NewRun[];
  /** Messages for other runs, such as a result for the parent. */
  readonly sends?: readonly (NewMessage & { readonly runId: string })[];
  /** What becomes of the run; unchanged if not said. */
  readonly state?: RunState;
  /** When a run that is over ended, if that was before this step. */
  readonly endedAt?: number;
}

export interface NewApproval {
  /** Unique: `${runId}:${turn}:${callId}` by custom. */
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  /** What the model proposed. */
  readonly proposed: JsonObject;
  /** Who may decide; anyone if not said. */
  readonly deciders?: readonly string[];
  readonly expiresAt?: number;
  /** What is asked, beside a yes or no: a question with the schema of its answer. */
  readonly question?: JsonObject;
}

export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'withdrawn';

export interface ApprovalRow extends Omit<NewApproval, 'deciders' | 'expiresAt' | 'question'> {
  readonly runId: string;
  /** The run at the top, where a person sees it. */
  readonly rootId: string;
  readonly agent: string;
  readonly deciders: readonly string[] | undefined;
  readonly expiresAt: number | undefined;
  readonly question: JsonObject | undefined;
  readonly state: ApprovalState;
  readonly requestedAt: number;
  readonly decidedAt: number | undefined;
  readonly decidedBy: string | undefined;
  /** Where it was decided: a terminal, a chat, a rule. */
  readonly via: string | undefined;
  /** The arguments a person put in the place of the proposed ones. */
  readonly approved: JsonObject | undefined;
  readonly answer: JsonValue | undefined;
  readonly reason: string | undefined;
}

export interface Decision {
  readonly id: string;
  readonly approved: boolean;
  readonly by: string;
  readonly via?: string;
  readonly args?: JsonObject;
  readonly answer?: JsonValue;
  readonly reason?: string;
}

/** Allows or denies calls before anybody is asked. */
export interface ApprovalRule {
  readonly id: string;
  readonly effect: 'allow' | 'deny';
  /** `shell(git status*)`: the tool and a pattern on its arguments, or the tool alone. */
  readonly pattern: string;
  /** For one run, for the runs of an agent, or for all. */
  readonly scope: { readonly runId: string } | { readonly agent: string } | 'always';
  readonly createdBy: string;
  readonly createdAt: number;
}

export interface ScheduleRow {
  readonly id: string;
  readonly agent: string;
  readonly tenant: string | undefined;
  /** The conversation it speaks in; a new run each time if not said. */
  readonly runId: string | undefined;
  /**
   * What is due and when, with all policies; the runtime's own words. One that is damaged comes as
   * `{ broken, text }`.
   */
  readonly spec: JsonObject;
  readonly state: 'active' | 'paused' | 'ended';
  readonly nextAt: number | undefined;
  readonly lastAt: number | undefined;
  readonly createdAt: number;
  readonly version: number;
}

export interface ScheduleFiring {
  readonly scheduleId: string;
  /** When it was due by the rule. Unique per schedule: no due time fires twice. */
  readonly dueAt: number;
  readonly at: number;
  readonly outcome: 'fired' | 'skipped' | 'missed';
  readonly detail?: string;
  readonly runId?: string;
}

export interface StoredEvent {
  /** A place in the feed of all runs. Opaque; compare only for equality. */
  readonly cursor: string;
  readonly runId: string;
  readonly event: RunEvent | BrokenEvent;
}

export interface RunFilter {
  readonly states?: readonly RunState[];
  readonly agent?: string;
  readonly tenant?: string;
  readonly parentId?: string;
  readonly rootId?: string;
  /** Those without a parent. */
  readonly topOnly?: boolean;
  readonly label?: { readonly name: string; readonly value: string };
  readonly createdAfter?: number;
  readonly createdBefore?: number;
}

/** A page, newest first. `next` continues it; undefined on the last one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface DailyStats {
  /** UTC, such as 2026-11-15. */
  readonly day: string;
  readonly agent: string;
  /**
   * The id of the model. Empty: what is no model's own doing (runs, tool calls, refusals), and turns,
   * replies, tokens and cost of logs that were written before models were named.
   */
  readonly model: string;
  readonly runsStarted: number;
  readonly runsCompleted: number;
  readonly runsFailed: number;
  readonly runsCancelled: number;
  /** Times this model was asked. */
  readonly turns: number;
  /** Times this model answered: not those it was asked where it passes on to others. */
  readonly replies: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly refusals: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

/**
 * The ground: one append-only log per run, and what is needed to work on it from several
 * processes. Whatever a promise here resolves for is on disk. Failures are `ForgeError`s with the
 * codes named below; anything else the database does is `store_failed` with its cause, and nothing
 * of that call was written.
 */
export interface Store {
  /** `run_exists` if the id is taken. */
  createRun(run: NewRun): Promise<RunRow>;
  run(id: string): Promise<RunRow | undefined>;
  runs(
    filter?: RunFilter,
    page?: { readonly limit?: number; readonly after?: string },
  ): Promise<Page<RunRow>>;

  /**
   * Leases runs that may be worked on: open, due, and not leased, or leased by somebody who let it
   * expire. Higher priorities first, then tenants in turns, then those due longest.
   * `store_newer` if a later program has changed the tables since this one opened them.
   */
  claim(options: ClaimOptions): Promise<readonly Lease[]>;
  /** Extends leases; gives the ids of those that are lost. */
  heartbeat(
    leases: readonly { readonly runId: string; readonly fence: number }[],
    ttl: number,
  ): Promise<readonly string[]>;
  /**
   * Gives a lease back. The run wakes when its next timer is due, at `wakeAt`, or at once if
   * messages have come that were not read. `lease_lost` if it was. Nothing to do, and no failure, if
   * the append that ended the run gave it back.
   */
  release(lease: {
    readonly runId: string;
    readonly fence: number;
    readonly wakeAt?: number;
  }): Promise<void>;
  /**
   * Gives a lease back that was not used: due again after `delay`, whatever else waits for it. What
   * is sent to it from now on wakes it. `lease_lost` if it was.
   */
  postpone(lease: {
    readonly runId: string;
    readonly fence: number;
    readonly delay: number;
  }): Promise<void>;
  /**
   * A worker could not go on with it: one strike more, and due again after `delay`, or dead with
   * `reason`; then what it asked to have approved is withdrawn, until it is opened again. Who has to
   * hear of that is told in the same transaction. `lease_lost` if the fence is not the run's,
   * `not_found` for a message to nobody; then nothing is written.
   */
  strike(lease: {
    readonly runId: string;
    readonly fence: number;
    readonly delay: number;
    readonly dead?: { readonly reason: string; readonly explanation: string };
    readonly sends?: readonly (NewMessage & { readonly runId: string })[];
  }): Promise<void>;

  /**
   * Writes one step. `lease_lost` if the fence is not the run's, `seq_conflict` if the log went on;
   * then nothing is written, as for a child whose id is taken (`run_exists`) and a message to nobody
   * (`not_found`). Steps of several runs that come at the same time share a commit.
   *
   * A step that ends its run gives the lease back with it. It is not written while there are messages
   * that it does not read (`unread_messages`): nobody would ever hear them. It may be refused so by
   * mistake, if something else changed the run in that moment; look, and try again.
   */
  append(step: Append): Promise<{ readonly seq: number }>;
  /** Events after `after`, in order. A bad row is given as `{ seq, broken }`, never thrown. */
  events(
    runId: string,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly (RunEvent | BrokenEvent)[]>;

  /** False if that source was heard before. `not_found` without the run. Wakes it, unless it ended. */
  send(runId: string, message: NewMessage): Promise<boolean>;
  inbox(runId: string, limit?: number): Promise<readonly InboxMessage[]>;

  approvals(
    filter?: { readonly state?: ApprovalState; readonly runId?: string; readonly rootId?: string },
    page?: { readonly limit?: number; readonly after?: string },
  ): Promise<Page<ApprovalRow>>;
  approval(id: string): Promise<ApprovalRow | undefined>;
  /**
   * Decides all of these or none, each exactly once, and tells their runs (a message of kind
   * `approval`). `not_found`, `already_decided`, `expired`, or `not_allowed` names the first that
   * cannot be.
   */
  decide(decisions: readonly Decision[], at: number): Promise<readonly ApprovalRow[]>;
  /** Expires what is due, up to 500 at a time, and tells their runs (kind `approval_expired`). */
  expireApprovals(now: number): Promise<readonly ApprovalRow[]>;

  /** `invalid_options` if the id was used before, even by a rule that is revoked. */
  addRule(rule: ApprovalRule): Promise<void>;
  rules(): Promise<readonly ApprovalRule[]>;
  revokeRule(id: string): Promise<boolean>;

  /**
   * With an expected version it is saved only if it still has that one (0: only if it is new), else
   * `seq_conflict`.
   */
  saveSchedule(
    schedule: Omit<ScheduleRow, 'version'>,
    expectedVersion?: number,
  ): Promise<ScheduleRow>;
  schedule(id: string): Promise<ScheduleRow | undefined>;
  schedules(filter?: {
    readonly agent?: string;
    readonly state?: ScheduleRow['state'];
  }): Promise<readonly ScheduleRow[]>;
  dueSchedules(now: number, limit: number): Promise<readonly ScheduleRow[]>;
  /**
   * In one transaction: the schedule goes on to its next time if its version is still that one,
   * the firings are noted, and their messages or runs come to be. False if somebody was faster;
   * `already_decided` if a due time fired before: the schedule was set back.
   */
  fire(firing: {
    readonly schedule: Omit<ScheduleRow, 'version'>;
    readonly expectedVersion: number;
    readonly firings: readonly ScheduleFiring[];
    readonly sends?: readonly (NewMessage & { readonly runId: string })[];
    readonly starts?: readonly NewRun[];
  }): Promise<boolean>;
  firings(scheduleId: string, limit?: number): Promise<readonly ScheduleFiring[]>;
  deleteSchedule(id: string): Promise<boolean>;

  /** Timers of a run that are due: they wake it; the worker reads and clears them with an append. */
  timers(runId: string): Promise<Readonly<Record<string, number>>>;

  saveSnapshot(snapshot: {
    readonly runId: string;
    readonly seq: number;
    readonly version: string;
    readonly state: string;
  }): Promise<void>;
  snapshot(
    runId: string,
    version: string,
  ): Promise<{ readonly seq: number; readonly state: string } | undefined>;

  /** Gives the hash under which they are kept: that of the bytes, without secrets if they are text. */
  putBlob(bytes: Uint8Array): Promise<string>;
  blob(hash: string): Promise<Uint8Array | undefined>;

  /**
   * The place in the feed after what is there now: `changes` from it leaves out nothing that comes
   * after this call, and may repeat the last of what came before.
   */
  cursor(): Promise<string>;
  /** All events after a cursor, then each as it comes, until the signal aborts. None is left out. */
  changes(options: {
    readonly from?: string;
    readonly signal: AbortSignal;
  }): AsyncIterable<StoredEvent>;
  /**
   * Told that runs may have become due, or are dead, in this process at once and in others soon.
   * Undefined: any may have, or a schedule was saved. Gives a way to stop.
   */
  onWake(listener: (runIds: readonly string[] | undefined) => void): () => void;
  /** Milliseconds until the next run or schedule is due; undefined if none ever is. */
  nextDue(now: number): Promise<number | undefined>;
  /** The database's clock, in milliseconds since 1970. */
  now(): Promise<number>;

  /**
   * How things came out, newest first: the `outcome.recorded` events of all runs. What was pruned is
   * gone from here too.
   */
  outcomes(
    filter?: OutcomeFilter,
    page?: { readonly limit?: number; readonly after?: string },
  ): Promise<Page<OutcomeRow>>;
  /** How many runs there are of each state, those without a parent alone if asked; from an index. */
  countRuns(filter?: {
    readonly agent?: string;
    readonly topOnly?: boolean;
  }): Promise<Readonly<Record<RunState, number>>>;

  /** Facts that outlive runs. */
  readonly memory: MemoryStore;
  /** What was deployed, where, and what became of it. */
  readonly deployments: DeploymentStore;
  /**
   * What takes secrets out of everything that is written; undefined if nothing does. A writer that
   * folds what it appends folds it as this leaves it.
   */
  readonly redactor: Redactor | undefined;

  /** A row for each day, agent and model, in that order; the last 10,000. */
  stats(filter?: {
    readonly agent?: string;
    /** Empty: those of no model. */
    readonly model?: string;
    readonly from?: string;
    readonly to?: string;
  }): Promise<readonly DailyStats[]>;
  /** Reads the whole log again and writes the projections anew. */
  rebuild(onProgress?: (events: number) => void): Promise<void>;
  /**
   * Removes ended runs with all that is theirs, oldest first, once all of their family has ended.
   * What they did stays in the daily figures. Gives how many.
   */
  prune(options: { readonly endedBefore: number; readonly limit?: number }): Promise<number>;
  /**
   * Copies a run's log up to an event into a new run (a fork), as it was. The fork is open and waits
   * until something is sent to it; it has no parent.
   */
  fork(options: {
    readonly runId: string;
    readonly upTo: number;
    readonly id: string;
    readonly title?: string;
  }): Promise<RunRow>;

  close(): Promise<void>;
}

/** A row that is no event of any version we know. */
export interface BrokenEvent {
  readonly seq: number;
  readonly broken: string;
}
