import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Transport } from './transport.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response whose body is still coming. Leaving the body early closes the connection. */
export interface Exchange {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Bytes that may wait for a slow reader before the socket is told to pause. */
const highWater = 1 << 20;

/**
 * Sends a request and resolves when the head of the response is there. Chunks are handed on as
 * the socket delivers them. When `signal` aborts, the socket is closed and whatever waits here
 * rejects with the signal's reason.
 */
export function openExchange(
  transport: Transport,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Exchange> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const handler = new ExchangeHandler(signal);
  const { method, url, headers, body } = request;
  try {
    transport.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...headers },
        ...(body !== undefined && { body }),
      },
      handler,
    );
  } catch (error) {
    handler.fail(error); // The library throws for what it cannot send, such as a bad header.
  }
  return handler.head;
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly head: Promise<Exchange>;
  readonly #head = Promise.withResolvers<Exchange>();
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.fail(this.#signal.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #done = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.head = this.#head.promise;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  fail(error: unknown) {
    if (this.#done) return;
    this.#finish({ error });
    this.#head.reject(error);
    this.#controller?.abort(asError(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller;
    // Given up while it waited for a connection.
    if (this.#failure !== undefined) controller.abort(asError(this.#failure.error));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders) {
    if (status < 200) return; // An informational head; the real one follows.
    this.#head.resolve({ status, headers: flatten(headers), body: this.#body() });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting > highWater) controller.pause();
    this.#wake?.();
  }

  onResponseEnd() {
    this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.fail(error);
  }

  #finish(failure?: { readonly error: unknown }) {
    this.#done = true;
    this.#failure = failure;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#wake?.();
  }

  async *#body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        // What arrived before a failure is still worth reading.
        const chunks = this.#chunks;
        this.#chunks = [];
        this.#waiting = 0;
        if (this.#controller?.paused) this.#controller.resume();
        yield* chunks;
        if (this.#chunks.length > 0) continue;
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#done) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      if (!this.#done) this.fail(new Error('The reader left.'));
    }
  }
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
