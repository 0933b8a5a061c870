import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from '../sandbox.ts';

const longestRetryMs = 60_000;

export interface WarmShelfOptions {
  readonly size: number;
  readonly freshMs: number;
  readonly retryMs: number;
  readonly start: (signal: AbortSignal) => Promise<Sandbox>;
}

interface Waiting {
  readonly sandbox: Sandbox;
  readonly timer: NodeJS.Timeout;
}

/**
 * Sandboxes that wait for somebody. One at a time is started when some are missing: a start takes a
 * whole core, and those who work have it first.
 */
export class WarmShelf {
  readonly #options: WarmShelfOptions;
  readonly #waiting: Waiting[] = [];
  readonly #closed = new AbortController();
  readonly #leaving = new Set<Promise<unknown>>();
  #filling: Promise<void> | undefined;
  #round = Promise.withResolvers<void>();

  constructor(options: WarmShelfOptions) {
    this.#options = options;
    this.#round.promise.catch(() => {});
    this.#fill();
  }

  ready(): number {
    return this.#waiting.filter(({ sandbox }) => sandbox.state() === 'running').length;
  }

  ids(): ReadonlySet<string> {
    return new Set(this.#waiting.map(({ sandbox }) => sandbox.id));
  }

  filled(): Promise<void> {
    return this.#filling === undefined ? Promise.resolve() : this.#round.promise;
  }

  /** The one that has waited longest; undefined if there is none. */
  take(): Sandbox | undefined {
    for (let first = this.#waiting.shift(); first !== undefined; first = this.#waiting.shift()) {
      clearTimeout(first.timer);
      this.#fill();
      if (first.sandbox.state() === 'running') return first.sandbox;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#filling;
    for (const { sandbox, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      this.#discard(sandbox);
    }
    await Promise.allSettled(this.#leaving);
  }

  #fill(): void {
    const isFull = this.#waiting.length >= this.#options.size;
    if (isFull || this.#filling !== undefined || this.#closed.signal.aborted) return;
    this.#filling = this.#keepFilling();
  }

  async #keepFilling(): Promise<void> {
    const { size, start, retryMs } = this.#options;
    const { signal } = this.#closed;
    let failures = 0;
    while (this.#waiting.length < size && !signal.aborted) {
      try {
        this.#add(await start(signal));
        failures = 0;
      } catch (error) {
        this.#endRound(error);
        const wait = Math.min(retryMs * 2 ** failures++, longestRetryMs);
        await delay(wait, undefined, { signal, ref: false }).catch(() => {});
      }
    }
    // Before anybody is told: who hears of it may take one at once, and that has to start another.
    this.#filling = undefined;
    this.#endRound();
  }

  /** Tells those who wait for it to be full how that went. */
  #endRound(error?: unknown): void {
    if (error === undefined) this.#round.resolve();
    else this.#round.reject(error);
    this.#round = Promise.withResolvers();
    this.#round.promise.catch(() => {});
  }

  #add(sandbox: Sandbox): void {
    if (this.#closed.signal.aborted) {
      this.#discard(sandbox);
      return;
    }
    const timer = setTimeout(() => this.#replace(sandbox), this.#options.freshMs).unref();
    this.#waiting.push({ sandbox, timer });
  }

  #replace(sandbox: Sandbox): void {
    const at = this.#waiting.findIndex((waiting) => waiting.sandbox === sandbox);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    this.#discard(sandbox);
    this.#fill();
  }

  #discard(sandbox: Sandbox): void {
    const leaving = sandbox.stop().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    leaving.catch(() => {});
  }
}
