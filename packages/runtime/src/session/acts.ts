import {
  type Agent,
  ForgeError,
  type Happening,
  openCall,
  type PersonRequest,
  performSummary,
  type RunState,
} from '@forge/core';
import type { RunRow } from '@forge/store';
import { askModel } from './ask-model.ts';
import type { Act } from './plan-step.ts';
import { Questions } from './questions.ts';
import { runTool } from './run-tool.ts';
import type { SessionHost } from './session-host.ts';

export interface ActsOptions {
  readonly host: SessionHost;
  readonly agent: Agent;
  readonly run: RunRow;
  /** The session is over, or has to let go of the run. */
  readonly signal: AbortSignal;
  /** The run as it is written. */
  readonly state: () => RunState;
  /** Something came of an act, or one has ended. */
  readonly onNews: () => void;
}

/**
 * What a session does in the world, once the intent is on disk: several acts at a time, and what
 * came of them until it is written. An act that is stopped by us leaves nothing: whether it took
 * effect is for the next worker to say.
 */
export class Acts {
  readonly #options: ActsOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** One for each act under way, and no composite signals: those would cost more than all else here. */
  readonly #underWay = new Set<AbortController>();
  /** Aborts the model call that runs now, for input that does not wait. */
  #speech: AbortController | undefined;
  #arrived: Happening[] = [];
  #bug: { readonly error: unknown } | undefined;
  /** What the tools under way ask people. */
  readonly questions: Questions;

  constructor(options: ActsOptions) {
    this.#options = options;
    this.questions = new Questions(options.onNews);
    const { signal } = options;
    signal.addEventListener('abort', () => this.#stopAll(signal.reason), { once: true });
  }

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  get haveNews(): boolean {
    return this.#arrived.length > 0 || this.questions.haveNews;
  }

  /** What came of them since the last time. Throws what was our own fault. */
  takeNews(): readonly Happening[] {
    if (this.#bug !== undefined) throw this.#bug.error;
    return this.#arrived.splice(0);
  }

  begin(act: Act) {
    const { host, agent, run, state } = this.#options;
    switch (act.type) {
      case 'call_model':
        this.#speech = this.#track((signal) => askModel({ host, agent, run, act, signal }));
        return;
      case 'run_tool':
        this.#track((signal) => this.#runTool(act, signal));
        return;
      case 'summarize': {
        const before = state();
        this.#track((signal) => performSummary(agent, before, { ...act, signal }));
        return;
      }
      default:
        return act satisfies never;
    }
  }

  /** Stops the model in the middle of its sentence. False if it does not speak. */
  interruptModel(): boolean {
    if (this.#speech === undefined) return false;
    this.#speech.abort(new ForgeError('cancelled', 'Somebody spoke.'));
    this.#speech = undefined;
    return true;
  }

  /** The run has ended: what is under way is stopped, and what came of it forgotten. */
  end(): void {
    if (this.areUnderWay) this.#stopAll(new ForgeError('cancelled', 'The run has ended.'));
    this.#speech = undefined;
    this.#arrived = [];
    this.questions.forget();
    this.clearTimers();
  }

  clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #stopAll(reason: unknown): void {
    for (const stop of this.#underWay) stop.abort(reason);
  }

  async #runTool(act: Extract<Act, { type: 'run_tool' }>, signal: AbortSignal) {
    const { host, agent, run } = this.#options;
    const after = agent.guard.tools.get(act.name)?.backgroundAfter;
    const timer = after === undefined ? undefined : this.#deferLater(act.callId, after);
    try {
      const askPerson = (request: PersonRequest) => this.questions.ask(act, request);
      return await runTool({ host, agent, runId: run.id, act, signal, askPerson });
    } finally {
      clearTimeout(timer);
      if (timer !== undefined) this.#timers.delete(timer);
    }
  }

  /** A slow tool does not hold up the others: the run goes on without it. */
  #deferLater(callId: string, after: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (openCall(this.#options.state(), callId) === undefined) return;
      this.#arrived.push({ type: 'calls.deferred', callIds: [callId], reason: 'slow' });
      this.#options.onNews();
    }, after);
    this.#timers.add(timer);
    return timer;
  }

  /** What comes of an act that was stopped belongs to the log no more. */
  #track(task: (signal: AbortSignal) => Promise<Happening | undefined>): AbortController {
    const stop = new AbortController();
    const { signal, onNews } = this.#options;
    if (signal.aborted) stop.abort(signal.reason);
    this.#underWay.add(stop);
    task(stop.signal)
      .then((happening) => {
        if (happening !== undefined && !stop.signal.aborted) this.#arrived.push(happening);
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) this.#bug ??= { error };
      })
      .finally(() => {
        this.#underWay.delete(stop);
        if (this.#speech === stop) this.#speech = undefined;
        onNews();
      });
    return stop;
  }
}
