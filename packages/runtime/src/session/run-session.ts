import {
  type Agent,
  beginRun,
  ForgeError,
  type Happening,
  messageOf,
  openCall,
  openCalls,
  performSummary,
  performTool,
  type RunState,
  recordable,
  recover,
  text,
  untilAborted,
} from '@forge/core';
import type { InboxMessage, Lease } from '@forge/store';
import { type RunMessage, readMessage } from '../messages.ts';
import { endRun } from './end-run.ts';
import { finishStep } from './finish-step.ts';
import { interruptedCalls } from './interrupted-calls.ts';
import { loadRun, saveSnapshot, snapshotEvery } from './load-run.ts';
import { lostAnswers } from './lost-answers.ts';
import { newApproval } from './new-approval.ts';
import { type Act, planStep } from './plan-step.ts';
import type { SessionHost } from './session-host.ts';
import { Step } from './step.ts';
import { takeMessage } from './take-message.ts';

/** How a session ended: the run is over, waits for something outside, or is left to another worker. */
export type SessionEnd = 'finished' | 'parked' | 'handed_over' | 'lost';

const inboxPage = 100;

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
  readonly #abort = new AbortController();
  /** Aborts what is under way when the run ends: nothing that comes of it belongs to the log any more. */
  #life = new AbortController();
  /** Aborts the model call that runs now, for input that does not wait. */
  #speech: AbortController | undefined;
  #state: RunState;
  #snapshotSeq = 0;
  #arrived: Happening[] = [];
  #underWay = 0;
  #hasMail = true;
  #isStopping = false;
  #aborted: 'lost' | 'handed_over' = 'lost';
  #bug: { readonly error: unknown } | undefined;
  #wake = Promise.withResolvers<void>();
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(host: SessionHost, lease: Lease, agent: Agent, state: RunState) {
    this.#host = host;
    this.#lease = lease;
    this.#agent = agent;
    this.#state = state;
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
    const { state, snapshotSeq } = await loadRun(host.store, agent, lease.run);
    const session = new RunSession(host, lease, agent, state);
    session.#snapshotSeq = snapshotSeq;
    return session;
  }

  get runId(): string {
    return this.#lease.run.id;
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
      await this.#recover();
      return await this.#loop();
    } catch (error) {
      if (ForgeError.is(error, 'lease_lost') || ForgeError.is(error, 'seq_conflict')) return 'lost';
      throw error;
    } finally {
      for (const timer of this.#timers) clearTimeout(timer);
      this.#abort.abort(new ForgeError('cancelled', 'The session is over.'));
    }
  }

  /** Whoever worked on it before is gone: nobody carries out any more what was under way. */
  async #recover() {
    const step = this.#newStep();
    const { interrupted } = this.#host;
    const asked = interrupted === 'ask_person' ? interruptedCalls(this.#agent, this.#state) : [];
    for (const open of asked) {
      const { args, call } = open;
      // Decided like any approval: yes runs it again under the same key, no tells the model.
      step.add({ type: 'approval.requested', callId: call.id, name: call.name, args });
      const about = { callId: call.id, name: call.name, args };
      const where = { host: this.#host, run: this.#lease.run, step };
      step.approvals.push(newApproval(where, { ...about, question: { kind: 'interrupted' } }));
    }
    const lost = await lostAnswers(this.#host.store, this.#agent, this.runId, this.#state);
    if (lost.length > 0) step.add({ type: 'run.resumed', again: lost, keepsApprovals: false });
    step.add(...recover(this.#agent, step.state, { keepsApprovals: true }));
    await this.#write(step);
  }

  async #loop(): Promise<SessionEnd> {
    for (;;) {
      if (this.#bug) throw this.#bug.error;
      if (this.#abort.signal.aborted) return this.#aborted === 'lost' ? 'lost' : this.#park();
      const step = this.#newStep();
      step.add(...this.#arrived.splice(0));
      await this.#readInbox(step);
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
        for (const act of acts) this.#carryOut(act);
        continue;
      }
      if (this.#arrived.length > 0 || (this.#hasMail && !this.#isStopping)) continue;
      if (this.#underWay === 0) return this.#park();
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  /** The time is up: by the run's own start, so that it does not matter who notices. */
  #checkDeadline(step: Step) {
    const { duration } = this.#agent.guard.limits;
    const { startedAt, seq } = step.state;
    if (this.#agent.standing || seq === 0 || step.at - startedAt < duration) return;
    const explanation = `The run took longer than ${duration} ms.`;
    endRun(step, { status: 'failed', reason: 'time_limit', explanation });
  }

  #newStep(): Step {
    return new Step(this.runId, this.#state, this.#host.now());
  }

  /** What is written is what the state is from now on. A crash before this leaves the log as it was. */
  async #write(step: Step) {
    if (step.isEmpty) return;
    await this.#host.stopAt?.('before_append', this.runId);
    await this.#host.store.append(step.toAppend(this.#lease.fence));
    this.#state = step.state;
    await this.#host.stopAt?.('after_append', this.runId);
    if (this.#state.seq - this.#snapshotSeq >= snapshotEvery) await this.#snapshot();
  }

  async #snapshot() {
    await saveSnapshot(this.#host.store, this.#agent, this.runId, this.#state);
    this.#snapshotSeq = this.#state.seq;
  }

  async #readInbox(step: Step) {
    if (!this.#hasMail || this.#isStopping) return;
    this.#hasMail = false;
    const mail = await this.#host.store.inbox(this.runId, inboxPage);
    if (mail.length === inboxPage) this.#hasMail = true;
    const first = step.state.seq === 0 ? await this.#begin(step, mail) : new Set<number>();
    for (const item of mail) {
      if (first.has(item.id)) continue;
      // Before it has begun there is nothing to say to it. Left unread, it would wake the run for ever.
      if (step.state.seq === 0) step.consumes.push(item.id);
      else this.#take(step, item);
    }
  }

  /** All input that is there begins the run together; nothing else does. */
  async #begin(step: Step, mail: readonly InboxMessage[]): Promise<ReadonlySet<number>> {
    const inputs = mail.flatMap((item) => {
      const read = readMessage(item.kind, item.payload);
      return read.ok && read.message.kind === 'input' ? [{ id: item.id, ...read.message }] : [];
    });
    // To be cancelled it has to begin: a log has a beginning.
    if (inputs.length === 0 && !mail.some(({ kind }) => kind === 'cancel')) return new Set();
    const { signal } = this.#abort;
    const model = this.#host.model(this.#agent);
    const input = inputs.flatMap(({ messages }) => messages);
    step.add(await beginRun({ agent: this.#agent, model, input, signal }));
    const { duration } = this.#agent.guard.limits;
    if (Number.isFinite(duration) && !this.#agent.standing)
      step.timers.deadline = step.at + duration;
    for (const { id } of inputs) step.consumes.push(id);
    return new Set(inputs.map(({ id }) => id));
  }

  #take(step: Step, item: InboxMessage) {
    step.consumes.push(item.id);
    const read = readMessage(item.kind, item.payload);
    // A message that cannot be read is put away; it must not stop the others.
    if (!read.ok || (step.state.phase.name === 'finished' && !this.#goesOn(step, read.message))) {
      return;
    }
    if (read.message.kind === 'input' && read.message.mode === 'interrupt') this.#interrupt(step);
    takeMessage(this.#agent, step, read.message satisfies RunMessage);
  }

  /** The model is stopped in the middle of its sentence, and asked again with what was said. */
  #interrupt(step: Step) {
    if (step.state.phase.name !== 'calling' || this.#speech === undefined) return;
    this.#speech.abort(new ForgeError('cancelled', 'Somebody spoke.'));
    this.#speech = undefined;
    step.add({ type: 'run.resumed', again: [], keepsApprovals: true });
  }

  /** What is said to a run that has ended is heard, unless it was cancelled or answers to a parent. */
  #goesOn({ state: { phase } }: Step, { kind }: RunMessage): boolean {
    if (kind !== 'input' || this.#lease.run.parentCallId !== undefined) return false;
    return phase.name === 'finished' && phase.status !== 'cancelled';
  }

  /**
   * Writes the end. False if something was said meanwhile that nobody has heard: whoever says
   * something after this sees that the run has ended, and wakes it again.
   */
  async #finish(step: Step): Promise<boolean> {
    const pending = await this.#pendingApprovals();
    finishStep({ run: this.#lease.run, agent: this.#agent, before: this.#state, pending, step });
    await this.#write(step);
    this.#life.abort(new ForgeError('cancelled', 'The run has ended.'));
    this.#life = new AbortController();
    this.#arrived = [];
    const { store } = this.#host;
    this.#hasMail = (await store.inbox(this.runId, 1)).length > 0;
    if (this.#hasMail && !this.#isStopping) return false;
    await store.release({ runId: this.runId, fence: this.#lease.fence });
    return true;
  }

  /** Only this session asks for them while it has the lease, so none comes after this. */
  async #pendingApprovals(): Promise<readonly string[]> {
    const waits = openCalls(this.#state).some(
      ({ call, status }) => status === 'asked' || (status === 'running' && call.external),
    );
    if (!waits) return [];
    const { items } = await this.#host.store.approvals(
      { state: 'pending', runId: this.runId },
      { limit: 1_000 },
    );
    return items.map(({ id }) => id);
  }

  async #park(): Promise<SessionEnd> {
    if (this.#isStopping) {
      const wakeAt = this.#host.now();
      await this.#host.store.release({ runId: this.runId, fence: this.#lease.fence, wakeAt });
      return 'handed_over';
    }
    await this.#host.store.release({ runId: this.runId, fence: this.#lease.fence });
    return 'parked';
  }

  #carryOut(act: Act) {
    switch (act.type) {
      case 'call_model':
        return this.#track(() => this.#askModel(act));
      case 'run_tool':
        return this.#track(() => this.#runTool(act));
      case 'summarize': {
        const signal = AbortSignal.any([this.#abort.signal, this.#life.signal]);
        const state = this.#state;
        return this.#track(() => performSummary(this.#agent, state, { ...act, signal }));
      }
      default:
        return act satisfies never;
    }
  }

  async #askModel({
    turn,
    request,
  }: Extract<Act, { type: 'call_model' }>): Promise<Happening | undefined> {
    const speech = new AbortController();
    this.#speech = speech;
    const signal = AbortSignal.any([this.#abort.signal, this.#life.signal, speech.signal]);
    const { onDelta } = this.#host;
    try {
      const model = this.#host.model(this.#agent);
      const reply = await untilAborted(
        () =>
          model.complete(request, {
            signal,
            ...(onDelta !== undefined && { onDelta: (delta) => onDelta(this.runId, delta) }),
          }),
        signal,
      );
      await this.#host.stopAt?.('after_effect', this.runId);
      return { type: 'model.replied', turn, reply: recordable(reply) };
    } catch (error) {
      // Given up by us: whoever goes on asks again.
      if (signal.aborted) return undefined;
      return { type: 'model.failed', turn, error: messageOf(error) };
    } finally {
      if (this.#speech === speech) this.#speech = undefined;
    }
  }

  async #runTool({
    callId,
    name,
    args,
    idempotencyKey,
  }: Extract<Act, { type: 'run_tool' }>): Promise<Happening | undefined> {
    const tool = this.#agent.guard.tools.get(name);
    if (tool === undefined) {
      // Another version of the agent accepted the call; that is no reason to give up the run.
      const said = `[ToolError] There is no tool "${name}" any more.`;
      return { type: 'tool.finished', callId, name, outcome: 'error', content: [text(said)] };
    }
    const signal = AbortSignal.any([this.#abort.signal, this.#life.signal]);
    const { backgroundAfter } = tool;
    const timer =
      backgroundAfter === undefined ? undefined : this.#deferLater(callId, backgroundAfter);
    try {
      const performed = await performTool(tool, args, {
        runId: this.runId,
        callId,
        idempotencyKey,
        signal,
      });
      await this.#host.stopAt?.('after_effect', this.runId);
      // Stopped by us: whether it took effect is for the next worker to say.
      if (signal.aborted) return undefined;
      return { type: 'tool.finished', callId, name, ...performed };
    } finally {
      if (timer !== undefined) this.#clear(timer);
    }
  }

  /** A slow tool does not hold up the others: the run goes on without it. */
  #deferLater(callId: string, after: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (openCall(this.#state, callId) === undefined) return;
      this.#arrived.push({ type: 'calls.deferred', callIds: [callId], reason: 'slow' });
      this.#wake.resolve();
    }, after);
    this.#timers.add(timer);
    return timer;
  }

  #clear(timer: NodeJS.Timeout) {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }

  #track(task: () => Promise<Happening | undefined>) {
    this.#underWay += 1;
    const life = this.#life.signal;
    task()
      .then((happening) => {
        if (happening !== undefined && !life.aborted) this.#arrived.push(happening);
      })
      .catch((error: unknown) => {
        if (!this.#abort.signal.aborted && !life.aborted) this.#bug ??= { error };
      })
      .finally(() => {
        this.#underWay -= 1;
        this.#wake.resolve();
      });
  }
}
