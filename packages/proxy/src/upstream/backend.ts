import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { joinUrl, ModelError, networkError, publicUrl, type Wire } from '@forge/models';
import { type Dispatcher, Pool } from 'undici';
import { createBackendPaths } from './backend-paths.ts';

export interface BackendRequest {
  readonly method: string;
  /** As the client asked for it, with its query; it is joined to the backend's base URL. */
  readonly path: string;
  /** Names and values in turns. */
  readonly headers: string[];
  readonly body?: Uint8Array | Readable | string | undefined;
}

/** Told what comes back. After `end` or `fail` nothing follows. */
export interface BackendListener {
  head(status: number, headers: IncomingHttpHeaders): void;
  data(chunk: Buffer): void;
  end(): void;
  fail(error: ModelError): void;
}

/** A call on its way. */
export interface BackendCall {
  /** Closes the connection, so that a local server stops generating. Nobody is told. */
  abort(): void;
  pause(): void;
  resume(): void;
}

/** The server behind the proxy: connections that are kept, and a limit to its silence. */
export interface Backend {
  readonly wire: Wire;
  call(request: BackendRequest, listener: BackendListener): BackendCall;
  close(): Promise<void>;
}

export interface BackendSettings {
  readonly url: string;
  readonly wire: Wire;
  readonly timeout: number;
  readonly connectTimeout: number;
  readonly connections: number;
}

export function createBackend(settings: BackendSettings): Backend {
  const { wire, timeout, connectTimeout, connections } = settings;
  const base = joinUrl(settings.url, '');
  // HTTP/1.1 on purpose: aborting a call closes its socket, which stops a local server.
  const pool = new Pool(base.origin, {
    allowH2: false,
    connect: { timeout: connectTimeout, noDelay: true },
    connections,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    // Of silence: a client that does not read pauses the second one.
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const where = publicUrl(base);
  const resolve = createBackendPaths(settings.url);

  return {
    wire,
    call({ method, path, headers, body }, listener) {
      const call = new Exchange(listener, { timeout, where });
      try {
        pool.dispatch({ method, path: resolve(path), headers, body: body ?? null }, call);
      } catch (error) {
        call.onResponseError(undefined, error);
      }
      return call;
    },
    close: () => pool.destroy(),
  };
}

interface ExchangeOptions {
  readonly where: string;
  readonly timeout: number;
}

class Exchange implements Dispatcher.DispatchHandler, BackendCall {
  readonly #listener: BackendListener;
  readonly #options: ExchangeOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #begun = false;
  #over = false;

  constructor(listener: BackendListener, options: ExchangeOptions) {
    this.#listener = listener;
    this.#options = options;
  }

  abort() {
    if (this.#settle()) this.#controller?.abort(new Error('The client left.'));
  }

  pause() {
    this.#controller?.pause();
  }

  resume() {
    if (this.#controller?.paused) this.#controller.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller;
    // Given up while it waited for a connection.
    if (this.#over) controller.abort(new Error('The client left.'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders) {
    if (this.#over || status < 200) return;
    this.#begun = true;
    this.#listener.head(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    if (!this.#over) this.#listener.data(chunk);
  }

  onResponseEnd() {
    if (this.#settle()) this.#listener.end();
  }

  onResponseError(_: unknown, error: unknown) {
    if (!this.#settle()) return;
    const { where, timeout } = this.#options;
    this.#listener.fail(
      isSilence(error)
        ? silence(where, timeout)
        : networkError(error, { where, begun: this.#begun }),
    );
  }

  #settle(): boolean {
    if (this.#over) return false;
    this.#over = true;
    return true;
  }
}

function isSilence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

function silence(where: string, timeout: number): ModelError {
  const seconds = Math.round(timeout / 1000);
  return new ModelError({
    kind: 'timeout',
    message: `${where} said nothing for ${seconds} s. Give it more time with --backend-timeout.`,
  });
}
