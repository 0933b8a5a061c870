import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ModelError } from '@forge/models';
import { responseHeaders } from '../server/response-headers.ts';
import type { BackendCall, BackendListener } from '../upstream/backend.ts';
import { flatHeaders } from '../upstream/flat-headers.ts';

export interface PipedOptions {
  readonly response: ServerResponse;
  readonly onEnd: (status: number) => void;
  /** The head may be out by then. */
  readonly onFail: (error: ModelError) => void;
  /** Told of an error that is no JSON instead of passing it on. */
  readonly onPage?: (status: number, headers: IncomingHttpHeaders, body: Buffer) => void;
}

const longestPage = 64 * 1024;

/** Passes an answer on as it comes, head and body; nobody looks at it. */
export class PipedAnswer implements BackendListener {
  /** The call it hears; paused while the client does not read. */
  call: BackendCall | undefined;
  readonly #response: ServerResponse;
  readonly #onEnd: (status: number) => void;
  readonly #onFail: (error: ModelError) => void;
  readonly #onPage: PipedOptions['onPage'];
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  /** Of an error that is no JSON. */
  #page: Buffer | undefined;

  constructor(options: PipedOptions) {
    this.#response = options.response;
    this.#onEnd = options.onEnd;
    this.#onFail = options.onFail;
    this.#onPage = options.onPage;
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#status = status;
    if (
      this.#onPage !== undefined &&
      status >= 400 &&
      !/json/.test(headers['content-type'] ?? '')
    ) {
      this.#headers = headers;
      this.#page = Buffer.alloc(0);
      return;
    }
    this.#response.writeHead(status, responseHeaders(flatHeaders(headers), { isRewritten: false }));
    // A stream may be silent for long after its head.
    if (headers['content-length'] === undefined) this.#response.flushHeaders();
  }

  data(chunk: Buffer) {
    if (this.#page !== undefined) {
      if (this.#page.length < longestPage) this.#page = Buffer.concat([this.#page, chunk]);
      return;
    }
    if (this.#response.write(chunk)) return;
    this.call?.pause();
    this.#response.once('drain', () => this.call?.resume());
  }

  end() {
    if (this.#page !== undefined) {
      this.#onPage?.(this.#status, this.#headers, this.#page.subarray(0, longestPage));
      return;
    }
    this.#response.end();
    this.#onEnd(this.#status);
  }

  fail(error: ModelError) {
    this.#onFail(error);
  }
}
