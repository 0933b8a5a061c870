import { randomUUID } from 'node:crypto';
import { type Agent, ForgeError, type Model, type ModelDelta, messageOf } from '@forge/core';
import type { Lease, Store } from '@forge/store';
import { createRuleBook } from '../approvals/create-rule-book.ts';
import type { Queue } from '../queue/queue.ts';
import { RunSession, type SessionEnd } from '../session/run-session.ts';
import type { InterruptedPolicy, SessionHost, StopPoint } from '../session/session-host.ts';

export interface WorkerOptions {
  readonly store: Store;
  /** The agents this worker knows. Runs of others are left to others. */
  readonly agents: readonly Agent[];
  /** One voice for all, or one for each agent. */
  readonly model: Model | ((agent: Agent) => Model);
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
  /** Told when it lets go of a run: it is over, waits for something, or is another worker's. */
  readonly onRest?: (runId: string, end: SessionEnd) => void;
  /** Told of what went wrong beside the runs. */
  readonly onProblem?: (problem: WorkerProblem) => void;
  readonly stopAt?: (point: StopPoint, runId: string) => Promise<void> | void;
}

export interface WorkerProblem {
  readonly runId?: string;
  readonly what: 'claim' | 'heartbeat' | 'session' | 'sweep';
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

/**
 * Starts a worker: takes up runs that are due, works on many at once, and lets go of those that
 * wait. Any number of workers may share a store; each run is one worker's at a time.
 */
export function createWorker(options: WorkerOptions): Worker {
  return new RunningWorker(options);
}

class RunningWorker implements Worker {
  readonly owner: string;
  readonly #options: WorkerOptions;
  readonly #host: SessionHost;
  readonly #sessions = new Map<
    string,
    { readonly session: RunSession; readonly fence: number; readonly ended: Promise<void> }
  >();
  readonly #opening = new Set<string>();
  readonly #ttl: number;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #beat: NodeJS.Timeout;
  readonly #poll: NodeJS.Timeout;
  #due: NodeJS.Timeout | undefined;
  #isStopping = false;
  #isClaiming = false;
  #claimAgain = false;
  #idlers: (() => void)[] = [];

  constructor(options: WorkerOptions) {
    const { store, agents, model, now = Date.now, leaseTtl = 10_000, pollEvery = 5_000 } = options;
    this.#options = options;
    this.owner = options.owner ?? randomUUID();
    this.#ttl = leaseTtl;
    const byName = new Map(agents.map((agent) => [agent.name, agent]));
    this.#host = {
      store,
      agent: (name) => byName.get(name),
      model: typeof model === 'function' ? model : () => model,
      rules: createRuleBook(store, { now }),
      now,
      interrupted: options.interrupted ?? 'tell_model',
      approvalTtl: options.approvalTtl,
      deciders: options.deciders,
      onDelta: options.onDelta,
      stopAt: options.stopAt,
    };
    this.#unsubscribe.push(store.onWake((runIds) => this.#wake(runIds)));
    if (options.queue !== undefined) {
      this.#unsubscribe.push(options.queue.subscribe((runId) => this.#wake([runId])));
    }
    this.#beat = setInterval(() => void this.#heartbeat(), Math.max(50, leaseTtl / 3));
    this.#poll = setInterval(() => void this.#claim(), pollEvery);
    void this.#claim();
  }

  get active(): number {
    return this.#sessions.size + this.#opening.size;
  }

  async idle(): Promise<void> {
    while (this.active > 0 || this.#isClaiming) {
      await new Promise<void>((resolve) => this.#idlers.push(resolve));
    }
  }

  async stop({ grace = 10_000 } = {}): Promise<void> {
    this.#isStopping = true;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    clearInterval(this.#poll);
    clearTimeout(this.#due);
    for (const { session } of this.#sessions.values()) session.stop();
    const timer = setTimeout(() => {
      for (const { session } of this.#sessions.values()) session.abort('handed_over');
    }, grace);
    while (this.active > 0 || this.#isClaiming) {
      await Promise.allSettled(Array.from(this.#sessions.values(), ({ ended }) => ended));
      if (this.active > 0 || this.#isClaiming)
        await new Promise((resolve) => setImmediate(resolve));
    }
    clearTimeout(timer);
    clearInterval(this.#beat);
  }

  #wake(runIds: readonly string[] | undefined) {
    let isNew = runIds === undefined;
    for (const runId of runIds ?? []) {
      const known = this.#sessions.get(runId);
      if (known === undefined) isNew = true;
      else known.session.poke();
    }
    if (isNew) void this.#claim();
  }

  async #claim() {
    if (this.#isStopping) return;
    if (this.#isClaiming) {
      this.#claimAgain = true;
      return;
    }
    this.#isClaiming = true;
    try {
      do {
        this.#claimAgain = false;
        await this.#claimOnce();
      } while (this.#claimAgain && !this.#isStopping);
    } catch (error) {
      this.#options.onProblem?.({ what: 'claim', error });
    } finally {
      this.#isClaiming = false;
      this.#rest();
    }
  }

  async #claimOnce() {
    const { store, agents, concurrency = 50, perAgent, perTenant } = this.#options;
    const limit = concurrency - this.active;
    if (limit <= 0) return;
    const leases = await store.claim({
      owner: this.owner,
      ttl: this.#ttl,
      limit,
      agents: agents.map(({ name }) => name),
      ...(perAgent !== undefined && { perAgent }),
      ...(perTenant !== undefined && { perTenant }),
    });
    for (const lease of leases) void this.#workOn(lease);
    if (leases.length === limit) this.#claimAgain = false;
    else if (leases.length > 0) this.#claimAgain = true;
    else await this.#sleepUntilDue();
  }

  /** The next timer of any run wakes us; the poll is only a net. */
  async #sleepUntilDue() {
    const { store, pollEvery = 5_000 } = this.#options;
    const now = this.#host.now();
    const due = await store.nextDue(now);
    clearTimeout(this.#due);
    if (due === undefined || this.#isStopping) return;
    // What is due and was not for us to take is somebody else's: no reason to look again at once.
    const wait = due <= 0 ? pollEvery : Math.min(due, pollEvery);
    this.#due = setTimeout(() => void this.#claim(), wait);
  }

  async #workOn(lease: Lease) {
    const { id } = lease.run;
    this.#opening.add(id);
    const ended = Promise.withResolvers<void>();
    try {
      this.#refuseKiller(lease);
      const session = await RunSession.open(this.#host, lease);
      this.#sessions.set(id, { session, fence: lease.fence, ended: ended.promise });
      this.#opening.delete(id);
      if (this.#isStopping) session.stop();
      const end = await session.work();
      this.#options.onRest?.(id, end);
    } catch (error) {
      await this.#strike(lease, error);
    } finally {
      this.#opening.delete(id);
      if (this.#sessions.get(id)?.fence === lease.fence) this.#sessions.delete(id);
      ended.resolve();
      this.#rest();
      // A place is free, and messages may have come between the last look and the release.
      void this.#claim();
    }
  }

  /**
   * Workers that took it up died before they got anywhere, again and again: it is put aside. More
   * patiently than after a failure of its own, for whatever kills a worker strikes all its runs.
   */
  #refuseKiller({ run }: Lease) {
    const { maxStrikes = 5 } = this.#options;
    if (run.strikes < maxStrikes * 4) return;
    throw new ForgeError(
      'not_allowed',
      `${run.strikes} workers in a row came to nothing with this run. Look at its log before you let it go on.`,
    );
  }

  /** A run that cannot be worked on waits longer each time, and in the end is put aside with its history. */
  async #strike({ run, fence }: Lease, error: unknown) {
    const { maxStrikes = 5, onProblem } = this.#options;
    onProblem?.({ runId: run.id, what: 'session', error });
    const strikes = run.strikes + 1;
    const isHopeless = ForgeError.is(error, 'invalid_event');
    const dead =
      isHopeless || strikes >= maxStrikes
        ? { reason: 'worker_failed', explanation: messageOf(error).slice(0, 2_000) }
        : undefined;
    const delay = Math.min(60_000, 100 * 2 ** strikes);
    try {
      await this.#options.store.strike({ runId: run.id, fence, delay, ...(dead && { dead }) });
      if (dead !== undefined) await this.#tellParent(run, dead.explanation);
    } catch (failure) {
      if (!ForgeError.is(failure, 'lease_lost'))
        onProblem?.({ runId: run.id, what: 'session', error: failure });
    }
  }

  /** A parent must not wait for ever for a child that is given up. */
  async #tellParent({ id, parentId, parentCallId }: Lease['run'], why: string) {
    if (parentId === undefined || parentCallId === undefined) return;
    const content = [{ type: 'text', text: `[ToolError] The run could not be worked on: ${why}` }];
    await this.#options.store.send(parentId, {
      kind: 'result',
      source: `child:${id}`,
      payload: { callId: parentCallId, outcome: 'error', content },
    });
  }

  async #heartbeat() {
    const held = Array.from(this.#sessions.values(), ({ session, fence }) => ({
      runId: session.runId,
      fence,
    }));
    const { store, onProblem } = this.#options;
    try {
      await store.expireApprovals(this.#host.now());
      if (held.length === 0) return;
      const lost = new Set(await store.heartbeat(held, this.#ttl));
      for (const runId of lost) this.#sessions.get(runId)?.session.abort('lost');
    } catch (error) {
      onProblem?.({ what: 'heartbeat', error });
    }
  }

  #rest() {
    if (this.active > 0 || this.#isClaiming) return;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }
}
