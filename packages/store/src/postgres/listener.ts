import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { channel } from './announcer.ts';
import { readNotice } from './notice.ts';
import { connectionOptions } from './pool.ts';
import type { Signals } from './signals.ts';

/** How long a notice that was lost may go unnoticed. */
const lookEvery = 5_000;
const firstDelay = 50;
const longestDelay = 2_000;

/**
 * Hears what other processes announce, on a connection of its own that is made again whenever it
 * breaks. After each connect, and every few seconds, it acts as if something had been said: what was
 * said while nobody listened is not heard.
 */
export class Listener {
  readonly #url: string;
  readonly #own: string;
  readonly #signals: Signals;
  readonly #stop = new AbortController();
  #listening: Promise<void> | undefined;
  #ready: Promise<void> | undefined;

  constructor(options: { readonly url: string; readonly own: string; readonly signals: Signals }) {
    this.#url = options.url;
    this.#own = options.own;
    this.#signals = options.signals;
  }

  /** Begins at the first call. Resolves when it hears, or could not connect at first. */
  start(): Promise<void> {
    if (this.#ready === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#ready = promise;
      this.#listening = this.#listen(resolve);
    }
    return this.#ready;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#listening;
  }

  async #listen(tried: () => void): Promise<void> {
    const { signal } = this.#stop;
    const look = setInterval(() => this.#somethingMayHaveBeenSaid(), lookEvery);
    look.unref();
    try {
      for (let delay = firstDelay; !signal.aborted; delay = Math.min(delay * 2, longestDelay)) {
        const heard = await this.#hear(tried);
        tried();
        if (heard) delay = firstDelay;
        await pause(delay, undefined, { signal }).catch(() => {});
      }
    } finally {
      clearInterval(look);
    }
  }

  /** Until the connection breaks or we stop. False if it was never there. */
  async #hear(tried: () => void): Promise<boolean> {
    const { signal } = this.#stop;
    const client = new pg.Client(connectionOptions(this.#url));
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    client.on('error', () => end());
    client.on('end', () => end());
    client.on('notification', ({ payload }) => this.#take(payload));
    const stop = () => end();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      tried();
      this.#somethingMayHaveBeenSaid();
      if (!signal.aborted) await over;
      return true;
    } catch {
      return false;
    } finally {
      signal.removeEventListener('abort', stop);
      await client.end().catch(() => {});
    }
  }

  #take(payload: string | undefined): void {
    const notice = readNotice(payload ?? '');
    if (notice === undefined || notice.from === this.#own) return;
    if (notice.appended) this.#signals.appended();
    if (notice.woken === undefined || notice.woken.length > 0) this.#signals.woken(notice.woken);
  }

  #somethingMayHaveBeenSaid(): void {
    this.#signals.appended();
    this.#signals.woken(undefined);
  }
}
