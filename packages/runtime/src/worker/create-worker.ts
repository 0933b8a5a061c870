import { randomUUID } from 'node:crypto';
import { ForgeError, type ModelDelta } from '@forge/core';
import type { Lease } from '@forge/store';
import { createRuleBook } from '../approvals/create-rule-book.ts';
import { RunSession, type SessionEnd } from '../session/run-session.ts';
import type { SessionHost } from '../session/session-host.ts';
import { defaultMaxStrikes, refuseKiller, strikeRun } from './strike-run.ts';
import { isSuspect, Suspects } from './suspects.ts';
import type { Worker, WorkerOptions, WorkerProblem } from './worker.ts';

/**
 * Starts a worker: takes up runs that are due, works on many at once, and lets go of those that
 * wait. Any number of workers may share a store; each run is one worker's at a time.
 */
export function createWorker(options: WorkerOptions): Worker {
  return new RunningWorker(options);
}

/** A run under lease. Its session is there once the log is read. */
interface Held {
  readonly fence: number;
  session: RunSession | undefined;
}

class RunningWorker implements Worker {
  readonly owner: string;
  readonly #options: WorkerOptions;
  readonly #host: SessionHost;
  readonly #ttl: number;
  readonly #pollEvery: number;
  readonly #suspects: Suspects;
  readonly #held = new Map<string, Held>();
  /** Work on runs, also on those whose lease was lost and that come to their end. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #beat: NodeJS.Timeout;
  readonly #poll: NodeJS.Timeout;
  #due: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #beating: Promise<void> | undefined;
  #isStopping = false;
  #isPatienceOver = false;
  #idlers: (() => void)[] = [];

  constructor(options: WorkerOptions) {
    const { store, agents, model, now = Date.now, leaseTtl = 10_000, pollEvery = 5_000 } = options;
    this.#options = options;
    this.owner = options.owner ?? randomUUID();
    this.#ttl = leaseTtl;
    this.#pollEvery = pollEvery;
    this.#suspects = new Suspects(store, { restFor: pollEvery });
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
      onDelta: options.onDelta && ((runId, delta) => this.#passDelta(runId, delta)),
      stopAt: options.stopAt,
    };
    this.#unsubscribe.push(store.onWake((runIds) => this.#wake(runIds)));
    if (options.queue !== undefined) {
      this.#unsubscribe.push(options.queue.subscribe((runId) => this.#wake([runId])));
    }
    this.#beat = setInterval(() => this.#heartbeat(), Math.max(50, leaseTtl / 3));
    this.#poll = setInterval(() => this.#claim(), pollEvery);
    this.#claim();
  }

  get active(): number {
    return this.#held.size;
  }

  async idle(): Promise<void> {
    while (!this.#rests) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  async stop({ grace = 10_000 } = {}): Promise<void> {
    this.#isStopping = true;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    clearInterval(this.#poll);
    clearTimeout(this.#due);
    for (const { session } of this.#held.values()) session?.stop();
    const timer = setTimeout(() => {
      this.#isPatienceOver = true;
      for (const { session } of this.#held.values()) session?.abort('handed_over');
    }, grace);
    try {
      while (this.#claiming !== undefined || this.#tasks.size > 0) {
        await Promise.allSettled([this.#claiming, ...this.#tasks]);
      }
    } finally {
      clearTimeout(timer);
      clearInterval(this.#beat);
    }
    await this.#beating;
  }

  #wake(runIds: readonly string[] | undefined) {
    let isNew = runIds === undefined;
    for (const runId of runIds ?? []) {
      const held = this.#held.get(runId);
      if (held === undefined) isNew = true;
      else held.session?.poke();
    }
    if (isNew) this.#claim();
  }

  #claim() {
    if (this.#isStopping) return;
    this.#claimAgain = true;
    this.#claiming ??= this.#claimAll();
  }

  async #claimAll() {
    try {
      while (this.#claimAgain && !this.#isStopping) {
        this.#claimAgain = false;
        await this.#claimOnce();
      }
    } catch (error) {
      this.#tell({ what: 'claim', error });
    } finally {
      this.#claiming = undefined;
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
    for (const lease of leases) if (!isSuspect(lease)) this.#take(lease);
    const suspect = await this.#suspects.choose(leases.filter(isSuspect));
    if (suspect !== undefined) this.#take(suspect);
    if (leases.length > 0) this.#claimAgain = true;
    else await this.#sleepUntilDue();
  }

  /** The next timer of any run wakes us; the poll is only a net. */
  async #sleepUntilDue() {
    const due = await this.#options.store.nextDue(this.#host.now());
    clearTimeout(this.#due);
    if (due === undefined || this.#isStopping) return;
    // What is due and was not for us to take is somebody else's: no reason to look again at once.
    const wait = due <= 0 ? this.#pollEvery : Math.min(due, this.#pollEvery);
    this.#due = setTimeout(() => this.#claim(), wait);
  }

  #take(lease: Lease) {
    const { id } = lease.run;
    // A lease of our own that ran out unnoticed: whoever still works under it has to stop.
    this.#held.get(id)?.session?.abort('lost');
    const held: Held = { fence: lease.fence, session: undefined };
    this.#held.set(id, held);
    const task = this.#workOn(lease, held).finally(() => {
      if (this.#held.get(id) === held) this.#held.delete(id);
      this.#suspects.done(lease);
      this.#tasks.delete(task);
      this.#rest();
      // A place is free, and messages may have come between the last look and the release.
      this.#claim();
    });
    this.#tasks.add(task);
  }

  async #workOn(lease: Lease, held: Held) {
    const { id } = lease.run;
    const { store, maxStrikes = defaultMaxStrikes } = this.#options;
    let end: SessionEnd | 'broken' = 'broken';
    try {
      refuseKiller(lease.run, maxStrikes);
      const session = await RunSession.open(this.#host, lease);
      held.session = session;
      if (this.#isStopping) session.stop();
      if (this.#isPatienceOver) session.abort('handed_over');
      if (isSuspect(lease)) void session.progressed.then(() => this.#clear(lease));
      end = await session.work();
    } catch (error) {
      this.#tell({ runId: id, what: 'session', error });
      await this.#try({ runId: id, what: 'session' }, () =>
        strikeRun({ store, lease, error, maxStrikes }),
      );
    }
    this.#listen(id, () => this.#options.onRest?.(id, end));
  }

  #passDelta(runId: string, delta: ModelDelta) {
    this.#listen(runId, () => this.#options.onDelta?.(runId, delta));
  }

  /** What a listener throws is no fault of the run it is told of. */
  #listen(runId: string, listener: () => void) {
    try {
      listener();
    } catch (error) {
      this.#tell({ runId, what: 'listener', error });
    }
  }

  /** A suspect got somewhere: it is the next one's turn. */
  #clear(suspect: Lease) {
    this.#suspects.done(suspect);
    this.#claim();
  }

  #heartbeat() {
    this.#beating ??= this.#beatAndSweep().finally(() => {
      this.#beating = undefined;
    });
  }

  async #beatAndSweep() {
    const { store } = this.#options;
    const held = [...this.#held];
    const leases = held.map(([runId, { fence }]) => ({ runId, fence }));
    await this.#try({ what: 'heartbeat' }, async () => {
      if (leases.length === 0) return;
      const lost = new Set(await store.heartbeat(leases, this.#ttl));
      for (const [runId, { session }] of held) if (lost.has(runId)) session?.abort('lost');
    });
    await this.#try({ what: 'sweep' }, () => store.expireApprovals(this.#host.now()));
  }

  async #try(what: Omit<WorkerProblem, 'error'>, work: () => Promise<unknown>) {
    try {
      await work();
    } catch (error) {
      // Then it is somebody else's, and nothing of ours went wrong.
      if (!ForgeError.is(error, 'lease_lost')) this.#tell({ ...what, error });
    }
  }

  /** One that throws itself stops nothing: its fault is reported as its own. */
  #tell(problem: WorkerProblem) {
    try {
      this.#options.onProblem?.(problem);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  get #rests(): boolean {
    return this.#held.size === 0 && this.#claiming === undefined;
  }

  #rest() {
    if (!this.#rests) return;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }
}
