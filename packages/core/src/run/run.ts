import type { Agent } from '../agents/define-agent.ts';
import { itemsOf } from '../append-list.ts';
import { renderContext } from '../context/render-context.ts';
import { ForgeError, messageOf } from '../errors.ts';
import { decide } from '../kernel/decide.ts';
import type { Effect } from '../kernel/effects.ts';
import type { Happening, RunEvent } from '../kernel/events.ts';
import { evolve, fold } from '../kernel/evolve.ts';
import { openCalls } from '../kernel/open-calls.ts';
import { recover } from '../kernel/recover.ts';
import { initialState, type RunState } from '../kernel/state.ts';
import { type UserMessage, userMessage } from '../messages/message.ts';
import type { Model, ModelDelta } from '../models.ts';
import type { Hold } from '../slot/create-slot.ts';
import { toContent } from '../tools/tool-output.ts';
import { beginRun } from './begin-run.ts';
import { performSummary } from './perform-summary.ts';
import { type CallContext, performTool } from './perform-tool.ts';
import { readDecision } from './read-decision.ts';
import { recordQuestion } from './record-question.ts';
import { recordable } from './recordable.ts';
import type { RunOptions, RunResult } from './run-types.ts';
import { startTimer } from './start-timer.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Runs an agent in memory until it answers, finishes, fails, is cancelled, or waits for
 * something only the outside can give (`paused`). Rejects only for our own or the caller's
 * bugs (wrong options, a throwing `onEvent`): how a run ended is in the result.
 *
 * @example
 * const result = await run(agent, 'Will it rain in Oslo?', { model });
 * if (result.status === 'completed') use(result.output?.text);
 */
export async function run(
  agent: Agent,
  input: string | UserMessage | readonly UserMessage[] | undefined,
  options: RunOptions,
): Promise<RunResult> {
  const driver = new Driver(agent, options);
  try {
    await driver.start(toMessages(input));
    await driver.loop();
    return driver.result();
  } finally {
    driver.close();
  }
}

function toMessages(
  input: string | UserMessage | readonly UserMessage[] | undefined,
): UserMessage[] {
  if (input === undefined) return [];
  if (typeof input === 'string') return [userMessage(input)];
  return 'role' in input ? [input] : [...input];
}

type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;

/** The in-memory driver: appends events, carries out effects, decides again. */
class Driver {
  readonly #agent: Agent;
  readonly #options: RunOptions;
  readonly #model: Model;
  readonly #runId: string;
  readonly #clock: () => number;
  readonly #stop = new AbortController();
  readonly #events: RunEvent[];
  #state: RunState;
  #underWay = 0;
  #closed = false;
  #failure: { error: unknown } | undefined;
  #modelError: unknown;
  #wake = Promise.withResolvers<void>();
  #hold: Hold | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(agent: Agent, options: RunOptions) {
    if (typeof options?.model?.complete !== 'function') {
      throw new ForgeError('invalid_options', 'A run needs a model: run(agent, input, { model }).');
    }
    this.#agent = agent;
    this.#options = options;
    this.#model = options.model;
    this.#clock = options.clock ?? Date.now;
    this.#events = [...(options.events ?? [])];
    this.#state = fold(this.#events, initialState);
    this.#runId = this.#state.runId || (options.runId ?? crypto.randomUUID());
  }

  async start(input: UserMessage[]): Promise<void> {
    if (this.#state.seq === 0) await this.#begin(input);
    else this.#resume(input);
    if (this.#state.phase.name === 'finished') this.#closed = true;
    const { signal } = this.#options;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted) this.#onAbort();
    const { duration } = this.#agent.guard.limits;
    // A clock that was set back must not give a run more than its time.
    const used = Math.max(0, this.#clock() - this.#state.startedAt);
    this.#timer = startTimer(Math.max(0, duration - used), () => this.#onTimeUp(duration));
  }

  async #begin(input: UserMessage[]) {
    if (input.length === 0) {
      throw new ForgeError(
        'invalid_options',
        'A new run needs input: run(agent, "what to do", { model }).',
      );
    }
    const { history, signal } = this.#options;
    this.#append(
      await beginRun({ agent: this.#agent, model: this.#model, history, input, signal }),
    );
  }

  #resume(input: UserMessage[]) {
    const { results = {} } = this.#options;
    for (const [callId, value] of Object.entries(results)) {
      const name = this.#nameOfWaiting(callId);
      this.#append({
        type: 'tool.finished',
        callId,
        name,
        outcome: 'ok',
        content: toContent(value),
      });
    }
    for (const happening of recover(this.#agent, this.#state)) this.#append(happening);
    if (input.length > 0) this.#append({ type: 'input.received', messages: input });
  }

  #nameOfWaiting(callId: string): string {
    const waiting = pendingOf(this.#state);
    const found = waiting.find((call) => call.callId === callId);
    if (found !== undefined) return found.name;
    const known = waiting.map((call) => call.callId).join(', ') || 'none';
    throw new ForgeError(
      'invalid_options',
      `results names call "${callId}", which is not waiting. Waiting: ${known}.`,
    );
  }

  async loop(): Promise<void> {
    while (this.#state.phase.name !== 'finished') {
      if (this.#failure) throw this.#failure.error;
      const effects = decide(this.#agent, this.#state);
      const acted = effects.filter((effect) => this.#carryOut(effect)).length;
      if (acted > 0) continue;
      if (this.#underWay === 0) return;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
    if (this.#failure) throw this.#failure.error;
  }

  /** Starts an effect; false when there is nothing to do but wait for the outside. */
  #carryOut(effect: Effect): boolean {
    switch (effect.type) {
      case 'record':
        for (const happening of effect.happenings) this.#append(happening);
        return true;
      case 'call_model': {
        const { turn, request, estimatedTokens } = effect;
        const messages = request.messages.length;
        const model = this.#model.id;
        this.#append({ type: 'model.requested', turn, messages, estimatedTokens, model });
        this.#track(async () => this.#append(await this.#askModel(effect)));
        return true;
      }
      case 'run_tool': {
        const { callId, name, args, idempotencyKey } = effect;
        this.#append({ type: 'tool.started', callId, name, args, idempotencyKey });
        this.#track(async () => {
          const tool = this.#agent.guard.tools.get(name);
          if (tool === undefined)
            throw new ForgeError('invalid_agent', `The agent has no tool "${name}" any more.`);
          const { signal } = this.#stop;
          const askPerson = this.#askPersonFor({ callId, name });
          const context = { runId: this.#runId, callId, idempotencyKey, signal, askPerson };
          this.#append({
            type: 'tool.finished',
            callId,
            name,
            ...(await performTool(tool, args, context)),
          });
        });
        return true;
      }
      case 'ask_approval': {
        const { callId, name, args } = effect;
        const { approve } = this.#options;
        this.#append({ type: 'approval.requested', callId, name, args });
        if (approve === undefined) {
          const reason = 'nobody is there to approve it.';
          this.#append({ type: 'approval.decided', callId, approved: false, reason });
          return true;
        }
        this.#track(async () => {
          const ask = async () => approve({ callId, name, args, signal: this.#stop.signal });
          const decision = await untilAborted(ask, this.#stop.signal);
          this.#append({ type: 'approval.decided', callId, ...readDecision(decision) });
        });
        return true;
      }
      case 'await_result': {
        const { callId, name, args, idempotencyKey } = effect;
        this.#append({ type: 'tool.started', callId, name, args, idempotencyKey });
        return true;
      }
      case 'summarize':
        this.#append({ type: 'context.summary_requested', replaces: [...effect.request.entries] });
        this.#track(async () => {
          const { signal } = this.#stop;
          this.#append(await performSummary(this.#agent, this.#state, { ...effect, signal }));
        });
        return true;
      case 'await_input':
        return false;
    }
  }

  async #askModel({ turn, request }: EffectOf<'call_model'>): Promise<Happening> {
    const { signal } = this.#stop;
    const { slot, priority } = this.#options;
    const onDelta = this.#options.onDelta && this.#passDelta;
    try {
      if (slot && this.#hold === undefined) this.#hold = await slot.acquire({ priority, signal });
      else await this.#hold?.boundary();
      if (this.#closed) this.#hold?.release(); // It came too late: nobody else would give it back.
      const reply = await untilAborted(
        () => this.#model.complete(request, { signal, onDelta }),
        signal,
      );
      const model = reply.model ?? this.#model.id;
      return { type: 'model.replied', turn, reply: recordable(reply), model };
    } catch (error) {
      this.#modelError = error;
      return { type: 'model.failed', turn, error: messageOf(error) };
    }
  }

  #askPersonFor(call: {
    readonly callId: string;
    readonly name: string;
  }): CallContext['askPerson'] {
    const { askPerson } = this.#options;
    if (askPerson === undefined) return undefined;
    const append = (happening: Happening) => {
      this.#append(happening);
      return this.#state.seq;
    };
    return (request) => recordQuestion({ call, request, ask: askPerson, append });
  }

  /** A throwing `onDelta` is the caller's bug, not the model's failure. */
  readonly #passDelta = (delta: ModelDelta) => {
    if (this.#stop.signal.aborted) return; // From a model that does not listen.
    try {
      this.#options.onDelta?.(delta);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  };

  /** Runs a task beside the loop and wakes it after. Only our own bugs reject here. */
  #track(task: () => Promise<void>) {
    this.#underWay += 1;
    task()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#failure ??= { error };
      })
      .finally(() => {
        this.#underWay -= 1;
        this.#wake.resolve();
      });
  }

  #append(happening: Happening) {
    if (this.#closed) return; // The end has been written: what comes late goes nowhere.
    const stamp = {
      v: 1 as const,
      runId: this.#runId,
      seq: this.#state.seq + 1,
      at: this.#clock(),
    };
    const event: RunEvent = { ...stamp, ...happening };
    this.#state = evolve(this.#state, event);
    this.#events.push(event);
    if (happening.type === 'run.finished') this.#closed = true;
    this.#options.onEvent?.(event);
  }

  readonly #onAbort = () => this.#end('cancelled', 'cancelled', 'The run was cancelled.');

  #onTimeUp(duration: number) {
    this.#end('failed', 'time_limit', `The run took longer than ${duration} ms.`);
  }

  /** Ends the run now: writes the end of what is under way, then stops it. */
  #end(status: 'failed' | 'cancelled', reason: 'time_limit' | 'cancelled', explanation: string) {
    try {
      for (const { callId, name } of pendingOf(this.#state)) {
        const content = toContent('[Cancelled]');
        this.#append({ type: 'tool.finished', callId, name, outcome: 'cancelled', content });
      }
      this.#append({ type: 'run.finished', status, reason, explanation });
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#stop.abort(new ForgeError('cancelled', explanation));
    this.#wake.resolve();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#stop.abort(new ForgeError('cancelled', 'The run has ended.'));
    this.#hold?.release();
  }

  result(): RunResult {
    const { phase, usage, turn, output, window } = this.#state;
    const base = {
      runId: this.#runId,
      output,
      usage,
      turns: turn,
      events: this.#events,
      messages: renderContext({ system: '', window: itemsOf(window) }).messages,
    };
    if (phase.name !== 'finished') {
      return {
        ...base,
        status: 'paused',
        reason: 'waiting',
        explanation: 'The run waits for input or for the results of its pending calls.',
        pending: pendingOf(this.#state),
      };
    }
    const { status, reason, explanation } = phase;
    return { ...base, status, reason, explanation, pending: [], error: this.#modelError };
  }
}

/** Calls that have begun and not ended. */
function pendingOf(state: RunState) {
  return openCalls(state)
    .filter((call) => call.status === 'running')
    .map(({ call, args }) => ({ callId: call.id, name: call.name, args }));
}
