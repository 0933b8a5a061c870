import { type Agent, ForgeError, type RunState } from '@forge/core';
import { type Append, isProgress, type Lease } from '@forge/store';
import { Acts } from './acts.ts';
import { endRun } from './end-run.ts';
import { finishStep } from './finish-step.ts';
import { isSnapshotDue, loadRun, saveSnapshot } from './load-run.ts';
import { planStep } from './plan-step.ts';
import { recoverStep } from './recover-step.ts';
import type { SessionHost } from './session-host.ts';
import { Step } from './step.ts';
import { takeMail } from './take-mail.ts';

/** How a session ended: the run is over, waits for something outside, or is left to another worker. */
export type SessionEnd = 'finished' | 'parked' | 'handed_over' | 'lost';

const inboxPage = 100;
const longestTimer = 2 ** 31 - 1;

/**
 * One worker's work on one run, from its lease to the next time there is nothing to do. The log is
 * the truth: an intent is on disk before anything is done about it, and what the worker knows goes
 * with it when it dies. Rejects for what makes the run impossible to work on (a broken log, an
 * unknown agent, our own bug); the worker then gives it a strike.
 */
export class RunSession {
  readonly #host: SessionHost;
  readonly #lease: Lease;
  readonly #agent: Agent;
  readonly #acts: Acts;
  readonly #abort = new AbortController();
  readonly #progress = Promise.withResolvers<void>();
  #state: RunState;
  #snapshotSeq: number;
  #hasMail = true;
  #isStopping = false;
  #aborted: 'lost' | 'handed_over' = 'lost';
  #wake = Promise.withResolvers<void>();

  private constructor(
    host: SessionHost,
    {
      lease,
      agent,
      loaded,
    }: { lease: Lease; agent: Agent; loaded: Awaited<ReturnType<typeof loadRun>> },
  ) {
    this.#host = host;
    this.#lease = lease;
    this.#agent = agent;
    this.#state = loaded.state;
    this.#snapshotSeq = loaded.snapshotSeq;
    this.#acts = new Acts({
      host,
      agent,
      run: lease.run,
      signal: this.#abort.signal,
      state: () => this.#state,
      onNews: () => this.#wake.resolve(),
    });
  }

  static async open(host: SessionHost, lease: Lease): Promise<RunSession> {
    const { agent: name, id } = lease.run;
    const agent = host.agent(name);
    if (agent === undefined) {
      throw new ForgeError(
        'not_found',
        `Run ${id} is of agent "${name}", which this worker does not know.`,
      );
    }
    return new RunSession(host, {
      lease,
      agent,
      loaded: await loadRun(host.store, agent, lease.run),
    });
  }

  get runId(): string {
    return this.#lease.run.id;
  }

  /** Resolves when the run has got somewhere since it was taken up, and at the latest when this ends. */
  get progressed(): Promise<void> {
    return this.#progress.promise;
  }

  /** Messages may have come. */
  poke() {
    this.#hasMail = true;
    this.#wake.resolve();
  }

  /** Begins nothing new. What runs is waited for, until `abort`. */
  stop() {
    this.#isStopping = true;
    this.#wake.resolve();
  }

  /**
   * The lease is lost (`lost`), or the patience is over (`handed_over`: others may take it up at
   * once). What runs is stopped, nothing more is written.
   */
  abort(end: 'lost' | 'handed_over') {
    this.#isStopping = true;
    this.#aborted = end;
    this.#abort.abort(new ForgeError('cancelled', 'The worker has to let go of this run.'));
    this.#wake.resolve();
  }

  async work(): Promise<SessionEnd> {
    try {
      const step = this.#newStep();
      await recoverStep({ host: this.#host, agent: this.#agent, run: this.#lease.run, step });
      await this.#write(step);
      return await this.#loop();
    } catch (error) {
      if (ForgeError.is(error, 'lease_lost') || ForgeError.is(error, 'seq_conflict')) return 'lost';
      throw error;
    } finally {
      this.#acts.clearTimers();
      this.#abort.abort(new ForgeError('cancelled', 'The session is over.'));
      this.#progress.resolve();
    }
  }

  async #loop(): Promise<SessionEnd> {
    for (;;) {
      const news = this.#acts.takeNews();
      if (this.#abort.signal.aborted) return this.#aborted === 'lost' ? 'lost' : this.#park();
      const step = this.#newStep();
      this.#acts.questions.write({ host: this.#host, run: this.#lease.run, step });
      step.add(...news);
      // A worker that stops leaves messages to the next one.
      if (this.#hasMail && !this.#isStopping) await this.#readInbox(step);
      this.#checkDeadline(step);
      const acts = await planStep(this.#host, {
        agent: this.#agent,
        run: this.#lease.run,
        step,
        starts: !this.#isStopping && step.state.seq > 0,
      });
      if (step.state.phase.name === 'finished') {
        if (await this.#finish(step)) return 'finished';
        continue;
      }
      if (!step.isEmpty) {
        if (acts.length > 0) await this.#host.stopAt?.('before_intent', this.runId);
        await this.#write(step);
        if (acts.length > 0) await this.#host.stopAt?.('after_intent', this.runId);
        for (const act of acts) this.#acts.begin(act);
        continue;
      }
      if (this.#acts.haveNews || (this.#hasMail && !this.#isStopping)) continue;
      if (!this.#acts.areUnderWay) return this.#park();
      await this.#untilNews();
    }
  }

  /** Something came of an act, or for the run; or its time is up. */
  async #untilNews() {
    const left = this.#deadlineOf(this.#state) - this.#host.now();
    const inTime = Number.isFinite(left) && left < longestTimer;
    const timer = inTime ? setTimeout(() => this.#wake.resolve(), Math.max(1, left)) : undefined;
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers();
  }

  /** While it is paused its time stands still. */
  #deadlineOf({ startedAt, seq, paused }: RunState): number {
    const { standing, guard } = this.#agent;
    const isCounted = !standing && !paused && seq > 0;
    return isCounted ? startedAt + guard.limits.duration : Number.POSITIVE_INFINITY;
  }

  /** The time is up: by the run's own start, so that it does not matter who notices. */
  #checkDeadline(step: Step) {
    const { duration } = this.#agent.guard.limits;
    if (step.at < this.#deadlineOf(step.state) || step.state.phase.name === 'finished') return;
    const explanation = `The run took longer than ${duration} ms.`;
    endRun(step, { status: 'failed', reason: 'time_limit', explanation });
  }

  #newStep(): Step {
    const { store, now } = this.#host;
    const { redactor } = store;
    return new Step({ runId: this.runId, state: this.#state, at: now(), redactor });
  }

  async #write(step: Step) {
    if (!step.isEmpty) await this.#append(step, step.toAppend(this.#lease.fence));
  }

  /** What is written is what the state is from now on. A crash before this leaves the log as it was. */
  async #append(step: Step, append: Append) {
    await this.#host.stopAt?.('before_append', this.runId);
    await this.#host.store.append(append);
    this.#state = step.state;
    this.#acts.questions.settle(append.happenings);
    if (isProgress(append)) this.#progress.resolve();
    await this.#host.stopAt?.('after_append', this.runId);
    if (isSnapshotDue(this.#state, this.#snapshotSeq)) await this.#snapshot();
  }

  async #snapshot() {
    await saveSnapshot(this.#host.store, this.#agent, this.runId, this.#state);
    this.#snapshotSeq = this.#state.seq;
  }

  /** A page of what this step has not read. */
  async #readInbox(step: Step) {
    this.#hasMail = false;
    const read = new Set(step.consumes);
    const unread = await this.#host.store.inbox(this.runId, read.size + inboxPage);
    const mail = unread.filter(({ id }) => !read.has(id));
    if (mail.length >= inboxPage) this.#hasMail = true;
    await takeMail({
      host: this.#host,
      agent: this.#agent,
      run: this.#lease.run,
      step,
      mail,
      signal: this.#abort.signal,
      interruptModel: () => this.#acts.interruptModel(),
    });
  }

  /**
   * Writes the end. What came meanwhile is heard in the same step, even by a worker that stops: a run
   * whose end is written is not taken up again. False if the run goes on by it. Whoever says something
   * after this sees that the run has ended, and wakes it again.
   */
  async #finish(step: Step): Promise<boolean> {
    const { run, fence } = this.#lease;
    await finishStep({ host: this.#host, run, agent: this.#agent, before: this.#state, step });
    if (await this.#end(step)) return true;
    await this.#readInbox(step);
    const isOver = step.state.phase.name === 'finished';
    if (isOver && (await this.#end(step))) return true;
    // It goes on; or more has come than one step reads, and whoever dies here leaves it to others.
    await this.#append(step, step.toAppend(fence, { keepsOpen: isOver }));
    if (isOver) this.#hasMail = true;
    this.#acts.end();
    return false;
  }

  /** The lease is given back with it. False, and nothing is written, if something was not read. */
  async #end(step: Step): Promise<boolean> {
    try {
      await this.#append(step, step.toAppend(this.#lease.fence));
    } catch (error) {
      if (ForgeError.is(error, 'unread_messages')) return false;
      throw error;
    }
    this.#acts.end();
    return true;
  }

  async #park(): Promise<SessionEnd> {
    if (this.#isStopping) {
      const wakeAt = await this.#host.store.now();
      await this.#host.store.release({ runId: this.runId, fence: this.#lease.fence, wakeAt });
      return 'handed_over';
    }
    await this.#host.store.release({ runId: this.runId, fence: this.#lease.fence });
    return 'parked';
  }
}
