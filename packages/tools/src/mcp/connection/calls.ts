import { AsyncLocalStorage } from 'node:async_hooks';
import { type AskPerson, ForgeError, type JsonObject } from '@forge/core';
import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client';
import { type CallClock, type CallLimits, startCallClock } from './call-clock.ts';

export interface CallRequest {
  readonly tool: Tool;
  /** What the model calls it, for messages. */
  readonly name: string;
  readonly args: JsonObject;
  readonly limits: CallLimits;
  readonly signal: AbortSignal;
  /** Puts what the server asks meanwhile to a person. */
  readonly askPerson?: AskPerson | undefined;
  /** Throws if it must not be sent after all. Asked right before every sending. */
  readonly check: () => void;
}

interface Asker {
  readonly askPerson: AskPerson | undefined;
}

const mostCalls = 64;
/** Beyond it (24.8 days) timers fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The calls one client is working on. */
export class Calls {
  readonly #now: () => number;
  readonly #running = new Map<CallClock, Promise<unknown>>();
  readonly #askers = new Set<Asker>();
  /** What comes in answer to a call is handled in its context: also what a server asks on the way. */
  readonly #context = new AsyncLocalStorage<Asker>();
  #asking = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Rejects with the reason of whichever signal gave up, else with the error of the protocol. */
  async send(client: Client, request: CallRequest): Promise<CallToolResult> {
    const { tool, name, args, limits, signal, check } = request;
    if (this.#running.size >= mostCalls) {
      throw new ForgeError(
        'not_allowed',
        `${name} cannot be called now: its server already works on ${mostCalls} calls. Wait for some.`,
      );
    }
    check();
    const clock = startCallClock(limits, { name, now: this.#now });
    if (this.#asking > 0) clock.hold();
    const asker: Asker = { askPerson: request.askPerson };
    this.#askers.add(asker);
    const answer = this.#context.run(asker, () =>
      client.callTool(
        { name: tool.name, arguments: { ...args } },
        {
          toolDefinition: tool,
          signal: AbortSignal.any([signal, clock.signal]),
          // The clock above is the one that counts: it knows of people and of progress.
          timeout: longestTimer,
          onprogress: () => clock.heard(),
        },
      ),
    );
    this.#running.set(clock, answer);
    try {
      return await answer;
    } catch (error) {
      signal.throwIfAborted();
      clock.signal.throwIfAborted();
      throw error;
    } finally {
      clock.stop();
      this.#running.delete(clock);
      this.#askers.delete(asker);
    }
  }

  /**
   * Whom to ask what the server wants to know now: the caller of the call it belongs to, where the
   * transport shows that, else of the only call there is. Undefined if nobody knows whose it is, or
   * the caller has nobody.
   */
  askPerson(): AskPerson | undefined {
    const own = this.#context.getStore();
    if (own !== undefined) return own.askPerson;
    const [only, ...others] = this.#askers;
    return others.length === 0 ? only?.askPerson : undefined;
  }

  /** Runs while the clocks of all calls stand still: which call a person is asked for, nobody says. */
  async unhurried<T>(task: () => Promise<T>): Promise<T> {
    if (this.#asking++ === 0) for (const clock of this.#running.keys()) clock.hold();
    try {
      return await task();
    } finally {
      if (--this.#asking === 0) for (const clock of this.#running.keys()) clock.release();
    }
  }

  /** Resolves when the calls of this moment have ended, however they did. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
