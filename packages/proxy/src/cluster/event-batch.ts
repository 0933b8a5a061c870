import type { ProxyEvent } from '../proxy-event.ts';

const flushEvery = 100;
const batchSize = 100;
/** Kept while the primary is too busy to take them; older ones go. */
const mostKept = 10_000;
/** Batches on their way at once. */
const mostSending = 8;

export interface Batch {
  readonly events: readonly ProxyEvent[];
  readonly inFlight: number;
  readonly dropped: number;
}

/** Gathers what a worker tells of its requests, so that a message is paid for by many of them. */
export class EventBatch {
  readonly #send: (batch: Batch) => Promise<void>;
  #events: ProxyEvent[] = [];
  #inFlight = 0;
  #dropped = 0;
  #sending = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (batch: Batch) => Promise<void>) {
    this.#send = send;
  }

  begin(): void {
    this.#inFlight += 1;
    this.#timer ??= setTimeout(() => this.flush(), flushEvery).unref();
  }

  add(event: ProxyEvent): void {
    if (this.#inFlight > 0) this.#inFlight -= 1;
    this.#events.push(event);
    if (this.#events.length >= batchSize && this.#sending < mostSending) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushEvery).unref();
    if (this.#events.length > mostKept) {
      this.#dropped += this.#events.length - mostKept / 2;
      this.#events = this.#events.slice(-mostKept / 2);
    }
  }

  /** Sends what there is, unless too much is on its way: then the next beat tries again. */
  flush(): void {
    if (this.#sending >= mostSending) {
      this.#timer = setTimeout(() => this.flush(), flushEvery).unref();
      return;
    }
    void this.send();
  }

  /** Resolves when it is on its way. */
  async send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = { events: this.#events, inFlight: this.#inFlight, dropped: this.#dropped };
    this.#events = [];
    this.#dropped = 0;
    this.#sending += 1;
    try {
      await this.#send(batch);
    } finally {
      this.#sending -= 1;
    }
  }
}
