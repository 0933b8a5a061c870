import { ForgeError } from '@forge/core';
import type { Channel } from './channel.ts';

/** Commands that may wait in line. */
const mostWaiting = 1_000;

/** Gets a channel, or nothing: then it looks again itself. */
type Waiter = PromiseWithResolvers<Channel | undefined>;

/**
 * The channels of a sandbox that run commands: opened when first needed, used again, so many at
 * most. Who comes when all are busy waits in line.
 */
export class Lanes {
  readonly #most: number;
  readonly #open: (signal: AbortSignal) => Promise<Channel>;
  readonly #idle: Channel[] = [];
  readonly #waiting = new Set<Waiter>();
  readonly #ended = new AbortController();
  #count = 0;

  constructor(most: number, open: (signal: AbortSignal) => Promise<Channel>) {
    this.#most = Math.max(1, most);
    this.#open = open;
  }

  /** A channel for one command; give it back or drop it. Rejects when the signal aborts, or `end` is called. */
  async take(signal: AbortSignal): Promise<Channel> {
    while (true) {
      this.#ended.signal.throwIfAborted();
      signal.throwIfAborted();
      const idle = this.#idle.pop();
      if (idle !== undefined && !idle.closed) return idle;
      if (idle !== undefined) continue;
      if (this.#count < this.#most) return this.#add(signal);
      const channel = await this.#wait(signal);
      if (channel !== undefined) return channel;
    }
  }

  give(channel: Channel): void {
    if (channel.closed) this.drop(channel);
    else {
      const first = this.#first();
      if (first === undefined) this.#idle.push(channel);
      else first.resolve(channel);
    }
  }

  drop(channel: Channel): void {
    channel.close();
    this.#freed();
  }

  end(problem: unknown): void {
    this.#ended.abort(problem);
    for (const waiter of this.#waiting) waiter.reject(problem);
    this.#waiting.clear();
    for (const channel of this.#idle.splice(0)) channel.close();
  }

  async #add(signal: AbortSignal): Promise<Channel> {
    this.#count++;
    try {
      const channel = await this.#open(AbortSignal.any([signal, this.#ended.signal]));
      // One that dies while it is idle makes room; one that is taken is dropped by its user.
      channel.onClose(() => {
        const at = this.#idle.indexOf(channel);
        if (at === -1) return;
        this.#idle.splice(at, 1);
        this.#freed();
      });
      return channel;
    } catch (error) {
      this.#freed();
      throw error;
    }
  }

  #freed(): void {
    this.#count--;
    this.#first()?.resolve(undefined);
  }

  #first(): Waiter | undefined {
    const [first] = this.#waiting;
    if (first !== undefined) this.#waiting.delete(first);
    return first;
  }

  async #wait(signal: AbortSignal): Promise<Channel | undefined> {
    if (this.#waiting.size >= mostWaiting) {
      throw new ForgeError(
        'not_allowed',
        `${mostWaiting} commands wait for this sandbox already. Let some end first.`,
      );
    }
    const waiter: Waiter = Promise.withResolvers();
    this.#waiting.add(waiter);
    const abort = () => {
      this.#waiting.delete(waiter);
      waiter.reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await waiter.promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}
